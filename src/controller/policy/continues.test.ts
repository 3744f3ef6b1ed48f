import { expect, it } from 'vitest';
import { continues } from './continues.js';

const step = (kind: string, node: string, impact: 'none' | 'live' | 'restart' | 'replace' = 'live') => ({
  kind,
  node,
  impact,
});
const approved = {
  desired: 'a',
  steps: [step('stop-vm', 'n1', 'restart'), step('start-vm', 'n1'), step('stop-vm', 'n2', 'restart')],
};

it('takes what is left of an approved plan for a part of it', () => {
  expect(continues(approved, { desired: 'a', steps: [step('start-vm', 'n1')] })).toBe(true);
  expect(continues(approved, { desired: 'a', steps: [] })).toBe(true);
});

it('takes nothing that was not approved: another goal, another node, another kind, a worse impact', () => {
  const rest = (steps: ReturnType<typeof step>[], desired = 'a') => continues(approved, { desired, steps });
  expect(rest([step('start-vm', 'n1')], 'b')).toBe(false);
  expect(rest([step('start-vm', 'n2')])).toBe(false);
  expect(rest([step('detach-drive', 'n1')])).toBe(false);
  expect(rest([step('start-vm', 'n1', 'replace')])).toBe(false);
});

it('takes what finishes a node that was to be created for a part of it, and nothing that could lose something', () => {
  const creates = {
    desired: 'a',
    steps: [step('create-data-vm', 'n1', 'none'), step('create-talos-vm', 'n1', 'none')],
  };
  const rest = (...steps: ReturnType<typeof step>[]) => continues(creates, { desired: 'a', steps });
  expect(rest(step('grow-drive', 'n1'), step('start-vm', 'n1', 'none'))).toBe(true);
  expect(rest(step('grow-drive', 'n2'))).toBe(false);
  expect(rest(step('set-options', 'n1', 'restart'))).toBe(false);
  for (const kind of ['detach-drive', 'move-drive', 'renew-drive', 'forget-volume', 'bootstrap-etcd'])
    expect(rest(step(kind, 'n1', 'none')), kind).toBe(false);
  expect(continues(creates, { desired: 'a', steps: [{ kind: 'grow-drive', impact: 'live' }] })).toBe(false);
});
