/** Everything of ours that goes: Talos VMs; data VMs and volumes only where their loss was asked for by name. */
import type { Design } from '../design/design.js';
import { DATA_TAG } from '../formats/data-tag.js';
import { ownerOfVolume } from '../formats/drive-slots.js';
import { dataVmidOf } from '../model/identity.js';
import type { Observed, ObservedVm } from '../observe/observed.js';
import { identityProblems } from './check/check-identity.js';
import { lookalikeNotes, secretsNeeded } from './check/deletion-rights.js';
import { findCsiVolume } from './kubernetes/plan-csi-volumes.js';
import { makePlan } from './make-plan.js';
import type { Note, Plan, Problem } from './plan.js';
import { StepList } from './step-list.js';
import { vmView } from './vms/view-of-vm.js';

export interface DestroyOptions {
  readonly deleteData: boolean;
  /** Where the secrets should be and are not. */
  readonly secretsLost?: string;
}

export function planDestroy(
  design: Design,
  observed: Observed,
  { deleteData, secretsLost }: DestroyOptions,
): Plan {
  const list = new StepList();
  const notes: Note[] = [];
  const problems: Problem[] = identityProblems(design, observed).filter(
    (problem) => problem.code === 'wwn-twice',
  );
  const ours = Object.values(observed.vms).sort((a, b) => a.vmid - b.vmid);
  problems.push(...otherSecrets(observed));
  notes.push(...lookalikeNotes(design, observed));
  const dataVms = ours.filter((vm) => vm.tags.includes(DATA_TAG));
  const talosVms = ours.filter((vm) => !vm.tags.includes(DATA_TAG));

  for (const vm of talosVms) {
    const problem = deleteData ? undefined : ownsData(vm, dataVms);
    if (problem) {
      problems.push(problem);
      continue;
    }
    const dataVmid = dataVms.find((data) => data.vmid === dataVmidOf(vm.vmid))?.vmid;
    list.add(String(vm.vmid), {
      kind: 'destroy-talos-vm',
      node: vm.name,
      title: `remove VM ${vm.vmid} (${vm.name}) from ${vm.host}`,
      reasons: [dataVmid === undefined ? 'its data goes with it' : `data VM ${dataVmid} keeps its data`],
      impact: dataVmid === undefined ? 'data-loss' : 'remove',
      load: { host: vm.host },
      vmid: vm.vmid,
      ...(dataVmid !== undefined && { dataVmid }),
      host: vm.host,
    });
  }
  if (deleteData) addDataSteps(design, observed, list, dataVms);
  else
    for (const vm of dataVms)
      notes.push({ code: 'parked', message: `data VM ${vm.vmid} (${vm.name}) on ${vm.host} is kept` });
  if (secretsLost !== undefined && list.steps.length > 0)
    problems.push(secretsNeeded('VMs of the cluster would be destroyed', secretsLost));
  return makePlan(design, observed, {
    action: 'destroy',
    steps: problems.length > 0 ? [] : list.steps,
    problems,
    notes,
  });
}

/** Whoever has them in the file by mistake would destroy the wrong cluster. */
function otherSecrets({ lookalikes }: Observed): Problem[] {
  return Object.values(lookalikes)
    .filter((vm) => vm.because === 'secrets')
    .map((vm) => ({
      code: 'secrets-mismatch',
      scope: 'plan',
      message: `VM ${vm.vmid} (${vm.name}) on ${vm.host} has our tag and identity, but it was made with other secrets than those at hand`,
      advice: 'put the right secrets file in place (docs/secrets.md); nothing is destroyed until then',
    }));
}

/** A VM of layout `single`, or one that owns a restored disk: destroying it destroys data. */
function ownsData(vm: ObservedVm, dataVms: readonly ObservedVm[]): Problem | undefined {
  const view = vmView(vm);
  if (!view) {
    return {
      code: 'vm-unknown',
      scope: 'plan',
      message: `VM ${vm.vmid} (${vm.name}) could not be read; whether it owns data is unknown`,
      advice: 'run it again when its host answers',
    };
  }
  const hasDataVm = dataVms.some((data) => data.vmid === dataVmidOf(vm.vmid));
  const owned = view.drives.filter((drive) => ownerOfVolume(drive.file) === vm.vmid);
  const kept = hasDataVm ? owned.slice(1) : owned;
  if (kept.length === 0 && (hasDataVm || owned.length === 0)) return undefined;
  return {
    code: 'owns-data',
    scope: 'plan',
    node: vm.name,
    message: `VM ${vm.vmid} (${vm.name}) owns its data (${kept.map((drive) => drive.file).join(', ')}): destroying it destroys that too`,
    advice: hasDataVm
      ? 'run `oxherd apply` first: it gives the disk to the data VM'
      : 'if that is wanted: oxherd destroy --delete-data --confirm NAME',
  };
}

function addDataSteps(
  design: Design,
  observed: Observed,
  list: StepList,
  dataVms: readonly ObservedVm[],
): void {
  for (const vm of dataVms) {
    const talos = list.steps.find((step) => step.kind === 'destroy-talos-vm' && step.dataVmid === vm.vmid);
    const drives = vmView(vm)?.drives ?? [];
    list.add(String(vm.vmid), {
      kind: 'destroy-data-vm',
      node: vm.name.replace(/-data$/, ''),
      title: `destroy data VM ${vm.vmid} (${vm.name}) and its disks`,
      reasons: drives.map((drive) => drive.file),
      impact: 'data-loss',
      needs: [talos?.id],
      load: { host: vm.host },
      vmid: vm.vmid,
      host: vm.host,
    });
  }
  for (const volume of design.csiVolumes) {
    const listed = observed.volumes[`${volume.host}/${volume.storage}`];
    const there = listed?.known ? findCsiVolume(listed.value, volume) : undefined;
    if (!there) continue;
    list.add(there.volid, {
      kind: 'delete-csi-volume',
      title: `delete volume ${there.volid}`,
      impact: 'data-loss',
      needs: list.steps.filter((step) => step.kind === 'destroy-talos-vm').map((step) => step.id),
      load: { host: volume.host, storage: volume.storage },
      host: volume.host,
      storage: volume.storage,
      volid: there.volid,
    });
  }
}
