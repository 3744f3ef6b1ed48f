import { describe, expect, it } from 'vitest';
import { builtProxmox } from '../../../test/support/plan/observed.js';
import { configOf } from '../../../test/support/vm-site.js';
import { design } from '../../design/design-cluster.js';
import type { MachineDisk } from '../../observe/disks/machine-disks.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import { matchDisks, questionProblem } from './match-disks.js';

const GIB = 1024 ** 3;
const CONFIG = configOf(`
cluster: { name: theirs, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141, cores: 2, memory: 4GiB, disk: 6GiB, osDisk: 5GiB }
volumes:
  data: { type: disk, size: 2GiB, on: all }
  logs: { type: disk, size: 2GiB, on: all }
`);

function node() {
  const [found] = design(CONFIG).nodes;
  const vm = visibleVm(builtProxmox(CONFIG), 141);
  const view = vm && vmView(vm);
  if (!found || !view) throw new Error('there is no node');
  const slotOf = (name: string) => {
    const drive = found.drives.find((each) => each.name === name);
    return (drive && view.byWwn.get(drive.wwn)?.slot) ?? '';
  };
  return { node: found, view, slotOf };
}

/** On a controller of its own each, as Linux shows it. */
function diskAt(slot: string, size: number, holds: readonly string[]): MachineDisk {
  const lun = slot.replace('scsi', '');
  return {
    device: `/dev/${slot}`,
    size,
    busPath: `/pci0000:00/0000:01:0${lun}.0/virtio3/host6/target6:0:0/6:0:0:${lun}`,
    system: holds.includes('STATE'),
    holds,
  };
}

function match(answers: Record<string, string>, labels = { data: ['u-data'], logs: ['u-logs'] }) {
  const { node: wanted, view, slotOf } = node();
  const disks = [
    diskAt(slotOf('os'), 5 * GIB, ['STATE', 'META']),
    diskAt(slotOf('ephemeral'), 6 * GIB, ['EPHEMERAL']),
    diskAt(slotOf('data'), 2 * GIB, labels.data),
    diskAt(slotOf('logs'), 2 * GIB, labels.logs),
  ];
  // As the storage tells them.
  const sizeOf = ({ wwn }: { readonly wwn?: string }) =>
    wanted.drives.find((drive) => drive.wwn === wwn)?.size;
  const matched = matchDisks(wanted, view, disks, { answers, sizeOf });
  return { ...matched, found: [...matched.slots].map(([{ name }, { slot }]) => [name, slot]).sort() };
}

describe('which drive is which disk', () => {
  it('is told by owner, size and what Talos runs from; of two of one size it is asked', () => {
    const { slotOf } = node();
    const { found, questions, problems } = match({});
    expect(found).toEqual([
      ['ephemeral', slotOf('ephemeral')],
      ['os', slotOf('os')],
    ]);
    expect(problems).toEqual([]);
    expect(questions.map(({ volume, candidates }) => [volume, candidates.map(({ slot }) => slot)])).toEqual([
      ['data', [slotOf('data'), slotOf('logs')]],
      ['logs', [slotOf('data'), slotOf('logs')]],
    ]);
    const [question] = questions;
    if (!question) throw new Error('nothing is asked');
    expect(questionProblem(question).message).toContain(`${slotOf('logs')} (`);
    expect(questionProblem(question).advice).toContain('--disk cp-1/data=');
  });

  it('is what a person says, and the other one is what is left', () => {
    const { slotOf } = node();
    const { found, questions, problems } = match({ 'cp-1/data': slotOf('data') });
    expect([questions, problems]).toEqual([[], []]);
    expect(found).toContainEqual(['logs', slotOf('logs')]);
  });

  it('is not what a person says where Talos finds something else there', () => {
    const { slotOf } = node();
    const wrong = match({ 'cp-1/data': slotOf('logs') });
    expect(wrong.problems[0]?.message).toContain(`Talos has u-data on ${slotOf('data')}`);
    // Nothing says where data is, but the disk holds another volume.
    const other = match({ 'cp-1/data': slotOf('logs') }, { data: [], logs: ['u-logs'] });
    expect(other.problems[0]?.message).toContain('Talos has u-logs on it');
  });

  it('refuses an answer that names another disk of the node, or none', () => {
    const { slotOf } = node();
    expect(match({ 'cp-1/data': slotOf('ephemeral') }).problems[0]?.message).toContain(
      'oxherd.yaml says 2GiB',
    );
    expect(match({ 'cp-1/data': slotOf('os') }).problems[0]?.message).toContain('belongs to VM 141');
    expect(match({ 'cp-1/data': 'scsi29' }).problems[0]?.message).toContain('no drive there');
  });
});
