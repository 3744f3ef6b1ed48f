/** Everything of ours that goes: Talos VMs; data VMs and volumes only where their loss was requested by name. */

import type { CsiVolumeDesign, Design } from '../design/design.js';
import { DATA_TAG } from '../formats/marks/data-tag.js';
import { dataVmidOf } from '../model/identity.js';
import { bytes, formatSize } from '../model/size.js';
import type { Observed, ObservedVm } from '../observe/observed.js';
import { visibleVms } from '../observe/observed-vms.js';
import { identityProblems } from './check/check-identity.js';
import { blockersOf, claimsOf, keepsDataApart, outsideUser, outsideUsesOf } from './drives/claims.js';
import { unreadUser } from './drives/unread-guests.js';
import { findCsiVolume, legacyVolumeOf, namesItsCluster } from './facts/csi-volume-names.js';
import { lookalikeNotes, secretsNeeded } from './facts/deletion-rights.js';
import { actualSize } from './facts/drive-facts.js';
import { isProved, unproved } from './facts/proved-vm.js';
import { vmView } from './facts/view-of-vm.js';
import { planHaRemoval } from './ha/plan-ha.js';
import { mayDo } from './input.js';
import { makePlan } from './make-plan.js';
import type { Note, Plan, Problem } from './plan.js';
import { unprovedDisks } from './roll/plan-cold-starts.js';
import { StepList } from './step-list.js';
import { ownJob } from './vms/plan-backup.js';

interface DestroyOptions {
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
  const ours = visibleVms(observed);
  problems.push(
    ...otherSecrets(design, observed),
    ...(deleteData ? unprovedDisks(design.nodes, observed) : []),
  );
  notes.push(...lookalikeNotes(design, observed));
  const dataVms = ours.filter((vm) => vm.tags.includes(DATA_TAG));
  const talosVms = ours.filter((vm) => !vm.tags.includes(DATA_TAG));

  const around = { design, observed };
  const lost: Losses = new Map();
  const named = new Set(design.nodes.flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid]));
  for (const vm of deleteData ? ours : talosVms) {
    const problem =
      named.has(vm.vmid) || isProved(around, vm)
        ? keptBack(around, vm, { deleteData, lost })
        : [unproved(around, vm)];
    if (problem.length > 0) problems.push(...problem);
  }
  const released = planHaRemoval(design, observed, list);
  for (const vm of talosVms) {
    const dataVmid = dataVms.find((data) => data.vmid === dataVmidOf(vm.vmid))?.vmid;
    const volids = lost.get(vm.vmid) ?? [];
    list.add(String(vm.vmid), {
      kind: 'destroy-talos-vm',
      node: vm.name,
      title: `remove VM ${vm.vmid} (${vm.name}) from ${vm.host}`,
      reasons: [
        volids.length > 0 ? `deletes its data: ${volids.join(', ')}` : `data VM ${dataVmid} keeps its data`,
      ],
      impact: volids.length > 0 ? 'data-loss' : 'remove',
      needs: released,
      load: { host: vm.host },
      vmid: vm.vmid,
      ...(dataVmid !== undefined && { dataVmid }),
      host: vm.host,
      volids,
    });
  }
  if (deleteData) {
    addDataSteps(around, list, dataVms, lost);
    problems.push(...addCsiSteps(around, list, notes));
  } else
    for (const vm of dataVms)
      notes.push({ code: 'parked', message: `data VM ${vm.vmid} (${vm.name}) on ${vm.host} is kept` });
  problems.push(...mayBeUsed(observed, list));
  addBackupStep(around, list, notes);
  if (secretsLost !== undefined && list.steps.length > 0)
    problems.push(secretsNeeded('VMs of the cluster would be destroyed', secretsLost));
  return makePlan(design, observed, {
    action: 'destroy',
    steps: problems.length > 0 ? [] : list.steps,
    problems,
    notes,
  });
}

/** Data goes only where every guest that can see it was asked. */
function mayBeUsed(observed: Observed, { steps }: StepList): Problem[] {
  return steps.flatMap((step) =>
    [...volumesLost({ steps: [step] })].flatMap((volid): Problem[] => {
      const unread = unreadUser(observed, 'host' in step ? String(step.host) : '', volid);
      if (!unread) return [];
      const message = `${volid} cannot be deleted: ${unread.why}`;
      return [{ code: 'foreign-drive', scope: 'plan', message, advice: unread.advice }];
    }),
  );
}

/** Whoever has them in oxherd.yaml by mistake would destroy the wrong cluster. */
function otherSecrets({ nodes }: Design, { lookalikes }: Observed): Problem[] {
  const named = new Set(nodes.flatMap((node) => [node.talosVm.vmid, node.dataVm?.vmid]));
  return Object.values(lookalikes)
    .filter((vm) => vm.because === 'secrets' && named.has(vm.vmid))
    .map((vm) => ({
      code: 'secrets-mismatch',
      scope: 'plan',
      message: `VM ${vm.vmid} (${vm.name}) on ${vm.host} has the tag and identity of this cluster, but was created with other secrets`,
      advice:
        'put the right secrets file in place (from a backup, or with `oxherd secrets import --from-node ADDRESS` while a talosconfig is valid); nothing is destroyed until then',
    }));
}

/** Volume ids that go with a VM, because all data was requested by name. */
type Losses = Map<number, readonly string[]>;

/** Why a VM stays, where it does; what goes with it is written down. */
function keptBack(
  around: { readonly design: Design; readonly observed: Observed },
  vm: ObservedVm,
  { deleteData, lost }: { readonly deleteData: boolean; readonly lost: Losses },
): Problem[] {
  const view = vmView(vm);
  const problem = (code: string, message: string, advice: string): Problem => ({
    code,
    scope: 'plan',
    node: nodeOf(around.design, vm),
    message,
    advice,
  });
  if (!view) {
    return [
      problem(
        'vm-unknown',
        `VM ${vm.vmid} (${vm.name}) could not be read; whether it owns data is unknown`,
        'run it again when its host answers',
      ),
    ];
  }
  const blockers = blockersOf(around, view).map(({ why, advice }) =>
    problem('foreign-drive', `VM ${vm.vmid} (${vm.name}) cannot be removed: ${why}`, advice),
  );
  const owned = claimsOf(around, view).filter((drive) => drive.owned);
  const hasDataVm = keepsDataApart(around, vm);
  const data = owned.filter(({ claim }) => claim === 'kept' || (claim === 'system' && !hasDataVm));
  const volids = [...new Set(data.map(({ volid }) => volid))];
  if (deleteData) lost.set(vm.vmid, volids);
  if (deleteData || volids.length === 0) return blockers;
  return [
    ...blockers,
    problem(
      'owns-data',
      `VM ${vm.vmid} (${vm.name}) owns its data (${volids.join(', ')}): destroying it destroys that too`,
      hasDataVm
        ? 'run `oxherd apply` first: it moves the disk to the data VM'
        : 'if that is wanted: oxherd destroy --delete-data --confirm NAME',
    ),
  ];
}

/** The cluster's list is behind and may not have a new VM's name yet. */
function nodeOf(design: Design, { vmid, name }: ObservedVm): string {
  const node = design.nodes.find(({ talosVm, dataVm }) => talosVm.vmid === vmid || dataVm?.vmid === vmid);
  return node?.name ?? name.replace(/-data$/, '');
}

function addDataSteps(
  { observed }: { readonly observed: Observed },
  list: StepList,
  dataVms: readonly ObservedVm[],
  lost: Losses,
): void {
  for (const vm of dataVms) {
    const talos = list.steps.find((step) => step.kind === 'destroy-talos-vm' && step.dataVmid === vm.vmid);
    const volids = lost.get(vm.vmid) ?? [];
    list.add(String(vm.vmid), {
      kind: 'destroy-data-vm',
      node: vm.name.replace(/-data$/, ''),
      title: `destroy data VM ${vm.vmid} (${vm.name}) and its disks`,
      reasons: volids.map((volid) => sized(observed, vm.host, volid)),
      impact: 'data-loss',
      needs: [talos?.id],
      load: { host: vm.host },
      vmid: vm.vmid,
      host: vm.host,
      volids,
    });
  }
}

/** Without its VMs the job would fail every night; what it made stays on its storage, and no job prunes it any more. */
function addBackupStep(
  { design, observed }: { readonly design: Design; readonly observed: Observed },
  list: StepList,
  notes: Note[],
): void {
  const job = ownJob(design, observed);
  if (job === undefined) return;
  if (!mayDo(observed, '/', 'Sys.Modify')) {
    notes.push({
      code: 'not-permitted',
      message: `the API token cannot remove the backup job; run as admin:\n    pvesh delete /cluster/backup/${job}`,
    });
    return;
  }
  list.add(job, {
    kind: 'remove-backup-job',
    title: `remove backup job ${job}`,
    reasons: ['its VMs go; backups stay on their storage'],
    impact: 'none',
    needs: list.steps.filter((step) => step.kind === 'destroy-talos-vm').map((step) => step.id),
    load: {},
    job,
    tag: design.cluster.tag,
  });
}

function sized({ volumes }: Observed, host: string, volid: string): string {
  const size = actualSize(volumes, host, volid);
  return size === undefined ? volid : `${volid}, ${formatSize(bytes(size))}`;
}

function addCsiSteps(
  { design, observed }: { readonly design: Design; readonly observed: Observed },
  list: StepList,
  notes: Note[],
): Problem[] {
  return design.csiVolumes.flatMap((volume): Problem[] => {
    const found = findCsiVolume(observed, volume);
    if (found.state === 'unread')
      notes.push({
        code: 'unknown',
        message: `volume ${volume.name} could not be read and is not removed: ${found.why}`,
      });
    const there = found.state === 'present' ? found.value : undefined;
    const unnamed = legacyVolumeOf(design, volume, observed);
    if (unnamed) notes.push(keptVolume(volume, unnamed.volid));
    if (!there || !namesItsCluster(design, volume)) return [];
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
    return outsideUsesOf(observed, [there.volid]).map((use) => {
      const { why, advice } = outsideUser(use);
      return {
        code: 'foreign-drive',
        scope: 'plan',
        message: `volume ${volume.name} cannot be removed: ${why}`,
        advice,
      };
    });
  });
}

/** Every volume id whose loss a plan shows: what the interlock permits, and nothing else. */
export function volumesLost(plan: Pick<Plan, 'steps'>): Set<string> {
  return new Set(
    plan.steps.flatMap((step) => {
      if (step.kind === 'destroy-talos-vm' || step.kind === 'destroy-data-vm') return step.volids;
      return step.kind === 'delete-csi-volume' || step.kind === 'delete-volume' ? [step.volid] : [];
    }),
  );
}

/** Another cluster may use a disk of that name too: which one, a person knows. */
function keptVolume({ name, host }: CsiVolumeDesign, volid: string): Note {
  return {
    code: 'left-alone',
    message: `volume ${name}: ${volid} on ${host} is kept; its name is one of version 0.1.0 and does not say whose it is. If no cluster needs it: pvesm free ${volid}`,
  };
}
