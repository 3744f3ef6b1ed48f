/**
 * Everyone who could have etcd data and is not in oxherd.yaml. While etcd does not answer, a second one must not begin
 * beside them. Accounted for is a machine that waits for its config, that says it has no etcd data, or whose VM is gone.
 */
import { type EtcdNote, parseDataNotes } from '../../formats/marks/data-notes.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { dataVmidOf, talosVmidOf } from '../../model/identity.js';
import { type Known, known, type Observed, type ObservedVm, unknown } from '../../observe/observed.js';
import { hasEtcdData } from '../../observe/observed-machines.js';
import { findVm, isAbsent, visibleVm } from '../../observe/observed-vms.js';
import type { PlanContext } from '../input.js';
import { removedVms } from './removed-vms.js';
import { vmView } from './view-of-vm.js';

/** In words: `cp-1 (VM 141)`, `cp-2 (data VM 1420)`. */
export function etcdSuspects({ design, observed }: Pick<PlanContext, 'design' | 'observed'>): string[] {
  return removedVms(design, observed).flatMap((vm) => {
    if (!vm.tags.includes(DATA_TAG)) return mayHaveEtcd(vm, observed) ? [`${vm.name} (VM ${vm.vmid})`] : [];
    const talosVmid = talosVmidOf(vm.vmid);
    // The Talos VM is asked in its place.
    if (visibleVm(observed, talosVmid)) return [];
    const note = noteOn(vm);
    const hasLeft = note.known && note.value?.state !== 'member' && isAbsent(observed, talosVmid);
    const isWorkers = note.known && note.value === undefined;
    return hasLeft || isWorkers ? [] : [`${vm.name.replace(/-data$/, '')} (data VM ${vm.vmid})`];
  });
}

/** Whether a Talos VM outside oxherd.yaml may have etcd data. */
export function mayHaveEtcd(vm: ObservedVm, observed: Observed): boolean {
  const machine = observed.removedMachines?.[vm.vmid];
  if (machine?.presence === 'maintenance') return false;
  if (machine?.details.known) return hasEtcdData(machine.details.value);
  // Nothing answers: what was written down is all there is, and it can only add suspects.
  if (vm.tags.includes('control-plane')) return true;
  const data = dataNote(vm, observed);
  if (data === 'none') return !vm.tags.includes('worker');
  return !data.known || data.value !== undefined;
}

/** `none`: it has no data VM, as with the layout `single`. */
function dataNote({ vmid }: ObservedVm, observed: Observed): Known<EtcdNote | undefined> | 'none' {
  const dataVmid = dataVmidOf(vmid);
  if (dataVmid === undefined) return 'none';
  const answer = findVm(observed, dataVmid);
  if (answer.state === 'present') return noteOn(answer.vm);
  return answer.state === 'absent' ? 'none' : unknown(answer.why);
}

function noteOn(data: ObservedVm): Known<EtcdNote | undefined> {
  const view = vmView(data);
  return view ? known(parseDataNotes(view.effective.description ?? '').etcd) : unknown('it was not read');
}
