import { describe, expect, it } from 'vitest';
import { config, nodeConfig, vmOptions } from '../../../test/support/design/config.js';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import type { AuxiliaryDrive } from '../../design/design.js';
import { design } from '../../design/design-cluster.js';
import { printAdoptionNote } from '../../formats/marks/adoption-note.js';
import { vmConfigOf } from '../../formats/proxmox/vm-config.js';
import type { ObservedVm } from '../../observe/observed.js';
import { known } from '../../observe/observed.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { planCluster } from '../plan-cluster.js';
import { helperDrives } from './helper-drives.js';

const CLOUD_INIT: AuxiliaryDrive = { kind: 'cloudinit', storage: 'zfs' };
const EFI: AuxiliaryDrive = { kind: 'efi', storage: 'zfs', efitype: '4m', preEnrolledKeys: false };
const ISO: AuxiliaryDrive = { kind: 'cdrom', volid: 'local:iso/talos.iso' };
const LINE = 'zfs:vm-151-cloudinit,media=cdrom';

function compared(
  wanted: Record<string, AuxiliaryDrive>,
  values: Record<string, string>,
  { pending = {}, installs = false }: { pending?: Record<string, null>; installs?: boolean } = {},
) {
  const { missing, blocked } = helperDrives(wanted, vmConfigOf({ digest: '', values, pending }), {
    installs,
  });
  return { missing: missing.map(({ slot, drive }) => `${slot} ${drive.kind}`), blocked: blocked.length };
}

describe('helper drives of a VM', () => {
  it.each([
    ['there', { ide2: LINE }, {}, []],
    ['there on another slot, with a size since a migration', { ide0: `${LINE},size=4M` }, {}, []],
    ['missing', {}, {}, ['ide2 cloudinit']],
    ['an empty tray in its place', { ide2: 'none,media=cdrom' }, {}, ['ide2 cloudinit']],
    ['about to go with the next start', { ide2: LINE }, { ide2: null }, ['ide2 cloudinit']],
    ['another image in its place', { ide2: 'local:iso/x.iso,media=cdrom' }, {}, ['ide0 cloudinit']],
  ])('cloud-init drive: %s', (_what, values, pending, missing) => {
    expect(compared({ ide2: CLOUD_INIT }, values, { pending })).toEqual({ missing, blocked: 0 });
  });

  it('have nowhere to be on a VM whose slots are taken', () => {
    const taken = { ide0: 'local:iso/x.iso,media=cdrom', ide2: 'zfs:vm-151-disk-9' };
    expect(compared({ ide2: CLOUD_INIT }, taken)).toEqual({ missing: [], blocked: 1 });
  });

  it('are installation media only for a machine that is installed again', () => {
    const wanted = { ide2: ISO, ide0: CLOUD_INIT, efidisk0: EFI };
    expect(compared(wanted, { ide0: LINE }).missing).toEqual(['efidisk0 efi']);
    expect(compared(wanted, { ide0: LINE }, { installs: true }).missing).toEqual([
      'ide2 cdrom',
      'efidisk0 efi',
    ]);
  });

  it('of a VM that was adopted without them come with a new system disk', () => {
    const description = printAdoptionNote({ before: new Map(), mark: '0123456789abcdef' });
    expect(compared({ ide2: CLOUD_INIT }, { description }).missing).toEqual([]);
    expect(compared({ ide2: CLOUD_INIT }, { description }, { installs: true }).missing).toHaveLength(1);
  });
});

describe('another firmware', () => {
  const of = (bios: 'seabios' | 'ovmf', more = {}) =>
    config({
      nodes: [
        nodeConfig('cp-1', 141, 'controlplane'),
        nodeConfig('work-1', 151, 'worker', { vm: vmOptions({ bios }), ...more }),
      ],
    });
  const planned = (
    bios: 'seabios' | 'ovmf',
    edit: (values: Record<string, string>) => ObservedVm['config'] | undefined,
  ) => {
    const built = builtProxmox(of('seabios'));
    const vm = visibleVm(built, 151);
    const values = vm?.config.known ? { ...vm.config.value.values } : {};
    const changed = edit(values);
    const vms = vm && changed ? withVms(built.vms, [{ ...vm, config: changed }]) : built.vms;
    return planCluster(design(of(bios)), { ...built, vms }, { policy: of(bios).policy });
  };

  it('comes with a new system disk and an EFI disk, and is written by that step only', () => {
    const { steps } = planned('ovmf', () => undefined);
    const replace = steps.find(({ kind }) => kind === 'replace-os-disk');
    expect(replace).toMatchObject({
      firmware: { from: 'seabios', to: 'ovmf', add: { efidisk0: { kind: 'efi' } }, remove: [] },
    });
    expect(steps.map(({ kind }) => kind)).not.toContain('add-helper-drive');
    for (const step of steps)
      if (step.kind === 'set-options') {
        expect(step.changes.bios).toBeUndefined();
        // What was applied last is noted once it was.
        expect(step.needs).toContain(replace?.id);
      }
  });

  it('that someone wrote, and that waits for the next start, is taken back without a new disk', () => {
    const { steps } = planned('seabios', (values) =>
      known({ digest: 'd', values, pending: { bios: 'ovmf' } }),
    );
    expect(steps.map(({ kind }) => kind)).toEqual(['set-options']);
  });

  it('that someone wrote to a VM whose machine did not come up is taken back without a new disk', () => {
    const { steps } = planned('seabios', (values) =>
      known({ digest: 'd', values: { ...values, bios: 'ovmf' }, pending: {} }),
    );
    expect(steps.map(({ kind }) => kind)).toEqual(['set-options', 'restart-vm']);
  });
});
