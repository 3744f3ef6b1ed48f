import { describe, expect, it } from 'vitest';
import { firstDifference } from './same-state.js';

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
    expect(firstDifference(nodes(node(one)), nodes(node(other)))).toBeUndefined();
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
    expect(firstDifference(nodes(node({})), other)).toBeDefined();
    expect(firstDifference(other, nodes(node({})))).toBeDefined();
  });

  it('do not differ by tasks that have ended, nor by what was left out', () => {
    const other = state({
      'kubernetes/1/nodes': { 'cp-1': node({}) },
      'pve/tasks': { upid: { exitstatus: 'OK' } },
      'pve/pools': { lock: {} },
    });
    const isLock = (table: string) => table === 'pve/pools';
    expect(firstDifference(nodes(node({})), other, isLock)).toBeUndefined();
    expect(firstDifference(nodes(node({})), other)).toBe('pve/pools lock');
  });
});
