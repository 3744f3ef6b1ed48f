import { describe, expect, it } from 'vitest';
import { stateDigest } from './same-state.js';

const node = (more: object) => ({ metadata: { name: 'cp-1', resourceVersion: '7' }, spec: {}, ...more });
const state = (tables: Record<string, Record<string, unknown>>) => ({
  tables: Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, Object.entries(rows)])),
});
const nodes = (record: object) => state({ 'kubernetes/1/nodes': { 'cp-1': record } });

describe('twins of one beginning', () => {
  it.each([
    [
      'when something happened',
      { status: { at: '2026-01-01T00:00:01Z' } },
      { status: { at: '2026-01-01T00:09:00Z' } },
    ],
    ['how often it was written', {}, { metadata: { name: 'cp-1', resourceVersion: '9' } }],
    ['since when it runs', { since: 1_767_225_600_000 }, { since: 1_767_225_700_000 }],
  ])('are alike but for %s', (_, one, other) => {
    expect(stateDigest(nodes(node(one)))).toBe(stateDigest(nodes(node(other))));
  });

  it.each([
    ['a node that is cordoned', nodes(node({ spec: { unschedulable: true } }))],
    ['a node that is gone', state({})],
    ['one more object', state({ 'kubernetes/1/nodes': { 'cp-1': node({}), 'cp-2': node({}) } })],
    ['a fault that has not struck', state({ 'kubernetes/1/nodes': { 'cp-1': node({}) }, faults: { x: {} } })],
    [
      'a task that runs',
      state({ 'kubernetes/1/nodes': { 'cp-1': node({}) }, 'pve/tasks': { upid: { type: 'qmstart' } } }),
    ],
  ])('differ by %s', (_, other) => {
    expect(stateDigest(other)).not.toBe(stateDigest(nodes(node({}))));
  });

  it('do not differ by tasks that have ended, nor by what was left out', () => {
    const other = state({
      'kubernetes/1/nodes': { 'cp-1': node({}) },
      'pve/tasks': { upid: { exitstatus: 'OK' } },
      'pve/pools': { lock: {} },
    });
    const isLock = (table: string) => table === 'pve/pools';
    expect(stateDigest(other, isLock)).toBe(stateDigest(nodes(node({}))));
    expect(stateDigest(other)).not.toBe(stateDigest(nodes(node({}))));
  });

  it('differ by what is to come, not by its number, its time, or what was meant for an earlier boot', () => {
    const booting = (boot: number, timeline: Record<string, unknown>) =>
      state({ 'talos/machines': { 141: { vmid: 141, boot, stage: 'booting' } }, timeline });
    const event = (at: number, boot: number) => ({
      id: 'x',
      at,
      kind: 'talos/boot',
      args: { vmid: 141, boot },
    });
    const one = stateDigest(booting(3, { 7: event(1_767_225_600_000, 3) }));
    expect(stateDigest(booting(4, { 9: event(1_767_225_700_000, 4), 8: event(1_767_225_600_000, 3) }))).toBe(
      one,
    );
    expect(stateDigest(booting(4, { 8: event(1_767_225_600_000, 3) }))).not.toBe(one);
  });

  it('do not differ by names that were generated, nor by how often a pod has started', () => {
    const pod = (name: string, restartCount: number) =>
      state({
        'kubernetes/1/pods': {
          [`default/${name}`]: { metadata: { name, uid: name }, status: { restartCount, phase: 'Running' } },
        },
      });
    expect(stateDigest(pod('web-2m9b6j45ng-g9pw5', 1))).toBe(stateDigest(pod('web-2m9b6j45ng-wg9pw', 2)));
    expect(stateDigest(pod('web-g9pw5', 1))).not.toBe(stateDigest(pod('api-wg9pw', 1)));
  });

  it('differ by a snapshot of etcd that has become too old, not by its time', () => {
    const HOUR = 3_600_000;
    const taken = (snapshotAt: number, time: number) =>
      stateDigest(state({ lab: { time }, 'talos/etcd': { 1: { snapshotAt } } }), () => false, HOUR);
    const now = 1_767_225_600_000;
    expect(taken(now - 1_000, now)).toBe(taken(now, now + HOUR));
    expect(taken(now - 1_000, now)).not.toBe(taken(now, now + HOUR + 1));
  });

  it('differ by what a VM boots from', () => {
    const vm = (boot: string) => state({ 'pve/vms': { 141: { values: { boot } } } });
    expect(stateDigest(vm('order=scsi0'))).not.toBe(stateDigest(vm('order=scsi1')));
  });
});
