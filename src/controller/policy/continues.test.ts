import { expect, it } from 'vitest';
import { continues } from './continues.js';

const step = (kind: string, node: string, impact: 'live' | 'restart' | 'replace' = 'live') => ({
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
