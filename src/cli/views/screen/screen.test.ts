/** What fits on a terminal of 80 columns and 24 rows. */
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../health/condition.js';
import type { NodeRow } from '../../../health/node-rows.js';
import { logSettings } from '../message.js';
import { statusText } from '../status.js';
import { fitted, fittedTable } from './wrap.js';

const SCREEN = { color: false, all: false, width: 80 };

function row(name: string, more: Partial<NodeRow> = {}): NodeRow {
  const role = name.startsWith('cp') ? 'controlplane' : 'worker';
  const base = { node: name, role, host: 'pve1', vmid: 141, health: 'ok', notes: [] } as const;
  return {
    ...base,
    talos: 'v1.14.1',
    kubelet: 'v1.36.0',
    ...(role === 'worker' ? {} : { etcd: 'member' }),
    ...more,
  };
}

const ok = (subject: string): Condition => ({
  layer: 'machines',
  name: 'machine-answers',
  subject,
  state: 'ok',
  message: 'answers',
});
const failed: Condition = {
  ...ok('work-7'),
  state: 'failed',
  message: `does not answer at 10.20.30.57: ${'no route to the host and nothing listens there '.repeat(2)}`,
  advice: 'look at its console, and at the network of its host, then run `oxherd status` again',
};
const isWide = (text: string) => text.split('\n').filter((line) => line.length > 80);

describe('status on 80 columns', () => {
  it('has a row per node and one line for what holds', () => {
    const nodes = ['cp-1', 'cp-2', 'cp-3', 'work-1', 'work-2', 'work-3'].map((name) => row(name));
    const conditions = nodes.map(({ node }) => ok(node));
    const text = statusText({ conditions, nodes, incomplete: [] }, SCREEN);
    const lines = text.split('\n');
    expect(lines).toHaveLength(11);
    expect(lines[1]).toMatch(/^cp-1 +controlplane +pve1 +v1\.14\.1 +v1\.36\.0 +ok +member$/);
    expect(lines.slice(-3)).toEqual(['Machines 6/6', '', 'Healthy: 6 conditions hold.']);
  });

  it('shows 200 nodes on a screen, the one that is not well by itself', () => {
    const nodes = Array.from({ length: 200 }, (_, at) =>
      at === 6 ? row('work-7', { health: 'failed', notes: ['machine-answers'] }) : row(`work-${at + 1}`),
    );
    const text = statusText(
      { conditions: [...nodes.map(({ node }) => ok(node)), failed], nodes, incomplete: [] },
      SCREEN,
    );
    expect(text.split('\n').length).toBeLessThanOrEqual(24);
    expect(text).toMatch(/^work-8 … work-200 \(193\) /m);
    expect(text).toMatch(/^work-7 .* failed .*machine-answers$/m);
    expect(isWide(text)).toEqual([]);
    expect(text.replace(/\s+/g, ' ')).toContain(failed.message.trim().replace(/\s+/g, ' '));
    const all = statusText({ conditions: [failed], nodes, incomplete: [] }, { ...SCREEN, all: true });
    expect(all.match(/^work-\d+ /gm)).toHaveLength(200);
  });

  it('breaks no line where there is no terminal', () => {
    const status = { conditions: [failed], nodes: [], incomplete: [] };
    const text = statusText(status, { ...SCREEN, width: Number.POSITIVE_INFINITY });
    expect(text).toContain(failed.message);
  });

  it('calls a cluster neither healthy nor unhealthy if nothing failed and a part was not read', () => {
    const incomplete = [{ what: 'cp-1', node: 'cp-1', why: 'no answer from 10.0.0.1' }];
    const text = statusText({ conditions: [ok('cp-2')], nodes: [], incomplete }, SCREEN);
    expect(text).toContain('Could not compare 1 node.\n  cp-1: no answer from 10.0.0.1');
    expect(text.split('\n').at(-1)).toBe('Unknown: no condition failed, but not everything could be read.');
    const worse = statusText({ conditions: [ok('cp-2'), failed], nodes: [], incomplete }, SCREEN);
    expect(worse.split('\n').at(-1)).toMatch(/^Not healthy/);
  });
});

describe('text that must fit', () => {
  it('is broken at spaces, and goes on behind where it began', () => {
    expect(fitted('    aaaa bbbb cccc', 12)).toBe('    aaaa\n      bbbb\n      cccc');
    expect(fitted('short', 12)).toBe('short');
  });

  it('leaves columns of a table out, the least needed first', () => {
    const rows = [['work-1/data', 'local-zfs:vm-1510-disk-1', '/var/mnt/data']];
    const table = (width: number) =>
      fittedTable(['NAME', 'VOLUME', 'MOUNT'], rows, width, ['MOUNT', 'VOLUME']);
    expect(table(80).left).toEqual([]);
    expect(table(40).left).toEqual(['MOUNT']);
    expect(table(20)).toEqual({ text: 'NAME\nwork-1/data', left: ['MOUNT', 'VOLUME'] });
  });
});

describe('the log', () => {
  it.each([
    [{}, undefined, { format: 'text', level: 'info' }],
    [{}, 'debug,json', { format: 'json', level: 'debug' }],
    [{ quiet: true }, 'debug', { format: 'text', level: 'error' }],
    [{ verbose: true, logFormat: 'json' as const }, 'error', { format: 'json', level: 'debug' }],
  ])('of %j with OXHERD_LOG=%s', (flags, OXHERD_LOG, expected) => {
    expect(logSettings(flags, { OXHERD_LOG })).toEqual(expected);
  });
});
