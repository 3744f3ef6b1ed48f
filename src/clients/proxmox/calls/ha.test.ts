import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { partOf } from '../../../../test/support/part-of.js';
import type { Params } from '../encode.js';
import { haCalls } from './ha.js';

interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly response: { readonly status: number; readonly body: { readonly data: unknown } };
}

/** What a real Proxmox VE 9.2 was asked and answered. */
function recorded(scenario: string): Exchange[] {
  const file = `test/recordings/fixtures/proxmox/scenarios-more/${scenario}.json`;
  const { exchanges: steps } = JSON.parse(readFileSync(file, 'utf8')) as { exchanges: Exchange[] };
  return steps.filter(({ response }) => response.status === 200);
}

/** Answers as recorded, and refuses what was not. */
function replaying(exchanges: readonly Exchange[]) {
  const sent: string[] = [];
  const text = (params: Params | undefined) =>
    JSON.stringify(
      Object.entries(params ?? {})
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => [key, String(value)])
        .sort(),
    );
  const calls = haCalls(
    partOf<Parameters<typeof haCalls>[0]>({
      request: async (method: string, path: string, params?: Params) => {
        const found = exchanges.find(
          (one) =>
            one.method === method &&
            one.path === decodeURIComponent(path) &&
            text(one.params as Params) === text(params),
        );
        sent.push(`${method} ${decodeURIComponent(path)}`);
        if (!found) throw new Error(`not recorded: ${method} ${path} ${text(params)}`);
        return { data: found.response.body.data };
      },
    }),
  );
  return { calls, sent };
}

describe('HA as it was recorded', () => {
  it('resources are created, changed, listed and deleted', async () => {
    const all = recorded('ha-resources');
    const { calls } = replaying(all.filter(({ name }) => name !== 'none yet'));
    await calls.createHaResource('vm:2000', {});
    const list = await calls.haResources();
    expect(list).toContainEqual({
      sid: 'vm:2001',
      settings: {
        comment: 'second one',
        failback: '0',
        max_relocate: '0',
        max_restart: '3',
        state: 'stopped',
      },
    });
    await calls.updateHaResource('vm:2000', { state: 'disabled', max_restart: '0', comment: 'off' });
    await calls.deleteHaResource('vm:2000');
    expect(await calls.haStates()).toEqual({
      hosts: {},
      services: {},
      serviceHosts: {},
      quorate: true,
    });
  });

  it('rules have a type beside what their schema lists', async () => {
    const { calls, sent } = replaying(recorded('ha-rules'));
    await calls.createHaRule('ra1', 'resource-affinity', {
      affinity: 'negative',
      resources: 'vm:2021,vm:2022',
    });
    await calls.updateHaRule('na1', 'node-affinity', { nodes: 'pve2' });
    await calls.deleteHaRule('ra1');
    expect(sent).toEqual([
      'POST /cluster/ha/rules',
      'PUT /cluster/ha/rules/na1',
      'DELETE /cluster/ha/rules/ra1',
    ]);
  });

  it('a move is asked of HA', async () => {
    const { calls } = replaying(recorded('ha-live'));
    expect(await calls.migrateHaResource('vm:2600', 'pve9')).toEqual({ blockedBy: [] });
  });
});
