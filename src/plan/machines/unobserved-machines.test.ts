import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import { parseVmid } from '../../model/identity.js';
import type { Observed } from '../../observe/observed.js';
import type { MachinePresence } from '../../observe/observed-machines.js';
import { StepList } from '../step-list.js';
import { unobservedMachines } from './unobserved-machines.js';

const vmid = parseVmid(141);
if (vmid === undefined) throw new Error('141 is a vmid');

function seen(presence: MachinePresence, exists = true): Observed {
  const machines = { 'cp-1': { node: 'cp-1', presence, details: { known: false as const, why: '' } } };
  return partOf<Observed>({ vms: exists ? partVms({ vmid: 141 }) : partVms(), machines });
}

function plan() {
  const list = new StepList();
  list.add('cp-1', {
    kind: 'configure-machine',
    node: 'cp-1',
    title: '',
    impact: 'none',
    vmid: vmid ?? (0 as never),
    host: 'pve1',
    ip: '10.0.0.1',
    configHash: '',
    wwids: [],
  });
  return list;
}

describe('machines that a plan could not compare', () => {
  it.each(['off', 'absent'] as const)('are those that were %s', (presence) => {
    expect(unobservedMachines(plan(), seen(presence))).toEqual(['cp-1']);
  });

  it('are not new ones, and not those that waited for a config', () => {
    expect(unobservedMachines(plan(), seen('off', false))).toEqual([]);
    expect(unobservedMachines(plan(), seen('maintenance'))).toEqual([]);
    expect(unobservedMachines({ steps: [] }, seen('absent'))).toEqual([]);
  });
});
