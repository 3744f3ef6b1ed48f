import { describe, expect, it } from 'vitest';
import { partOf } from '../../../test/support/part-of.js';
import { partVms } from '../../../test/support/plan/part-vms.js';
import type { Design } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { heldElsewhereProblems } from './check-held-elsewhere.js';

interface Named {
  readonly vmid: number;
  readonly name: string;
  readonly ip: string;
}

const WORK_1: Named = { vmid: 151, name: 'work-1', ip: '10.0.0.51' };
const WORK_2: Named = { vmid: 152, name: 'work-2', ip: '10.0.0.52' };

function codes(wanted: readonly Named[], there: readonly Named[]): string[] {
  const design = partOf<Design>({
    cluster: { tag: 'oxherd-x' },
    nodes: wanted.map(({ vmid, name, ip }) => ({ name, ip, talosVm: { vmid } })),
  });
  const vms = partVms(
    ...there.map(({ vmid, name, ip }) => ({
      vmid,
      name,
      tags: ['oxherd-x'],
      config: {
        known: true as const,
        value: { digest: '', values: { name, ipconfig0: `ip=${ip}/24` }, pending: {} },
      },
    })),
  );
  return heldElsewhereProblems(design, partOf<Observed>({ vms })).map(({ code, node }) => `${node} ${code}`);
}

describe('what another VM of ours holds', () => {
  it('is nothing while every node keeps what it has, or takes what is free', () => {
    expect(codes([WORK_1, WORK_2], [WORK_1, WORK_2])).toEqual([]);
    expect(codes([{ ...WORK_1, ip: '10.0.0.61', name: 'anvil' }, WORK_2], [WORK_1, WORK_2])).toEqual([]);
    expect(codes([WORK_1], [WORK_1, WORK_2])).toEqual([]);
  });

  it('keeps a node from getting another vmid', () => {
    expect(codes([WORK_1, { ...WORK_2, vmid: 162 }], [WORK_1, WORK_2])).toEqual(['work-2 vmid-change']);
    expect(codes([WORK_1, { ...WORK_2, vmid: 162, name: 'anvil' }], [WORK_1, WORK_2])).toEqual([
      'anvil vmid-change',
    ]);
  });

  it('keeps an address and a name from being on two machines', () => {
    expect(codes([{ ...WORK_1, ip: WORK_2.ip }], [WORK_1, WORK_2])).toEqual(['work-1 address-taken']);
    expect(codes([{ ...WORK_1, name: WORK_2.name }], [WORK_1, WORK_2])).toEqual(['work-2 name-taken']);
    const swapped = [
      { ...WORK_1, ip: WORK_2.ip },
      { ...WORK_2, ip: WORK_1.ip },
    ];
    expect(codes(swapped, [WORK_1, WORK_2])).toEqual(['work-1 address-taken', 'work-2 address-taken']);
  });
});
