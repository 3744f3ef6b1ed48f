/** What can be asked of a session, and the plan that answers it. */

import type { InterlockScope } from '../../apply/interlock.js';
import type { Design } from '../../design/design.js';
import type { KubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVms } from '../../observe/observed-vms.js';
import { wasAdopted } from '../../plan/adopt/adopted-vm.js';
import type { DiskQuestion } from '../../plan/adopt/match-disks.js';
import type { TerraformVm } from '../../plan/adopt/other-owners.js';
import { planVolumeAdopt } from '../../plan/drives/plan-volume-adopt.js';
import { planVolumeDelete } from '../../plan/drives/plan-volume-delete.js';
import { planVolumeForget, volumesForgotten } from '../../plan/drives/plan-volume-forget.js';
import type { DrainDecision } from '../../plan/hosts/decide-drain.js';
import type { HostLoss } from '../../plan/hosts/host-loss.js';
import type { OffProof } from '../../plan/hosts/loss-problems.js';
import type { SnapshotFile } from '../../plan/input.js';
import { planDiskAdoption, withAdoptedDisk } from '../../plan/kubernetes/csi/adopt-csi-volume.js';
import { unobservedMachines } from '../../plan/machines/unobserved-machines.js';
import type { Plan } from '../../plan/plan.js';
import { planDestroy, volumesLost } from '../../plan/plan-destroy.js';
import type { Site } from '../connect/site.js';
import type { HostDrainRequest, HostReturnRequest } from './plan-host.js';
import type { HostLossRequest } from './plan-host-loss.js';
import { planTokenRotation } from './plan-token-rotation.js';
import { look, preparePlan } from './prepare-plan.js';

export type PlanRequest =
  /** What the config says. */
  | {
      readonly kind: 'converge';
      /** These nodes alone. */
      readonly only?: readonly string[];
      /** Nodes that get a new EPHEMERAL disk; the old ones and all volumes are kept. */
      readonly fresh?: readonly string[];
      /** With all control planes in `fresh`: etcd starts with this snapshot. */
      readonly restore?: SnapshotFile;
    }
  | { readonly kind: 'restart' | 'replace'; readonly nodes: readonly string[] }
  /** Volumes are kept unless `deleteData` says otherwise. */
  | { readonly kind: 'destroy'; readonly deleteData?: boolean }
  | { readonly kind: 'delete-volume' | 'forget-volume'; readonly name: string }
  | { readonly kind: 'adopt-volume'; readonly name: string; readonly volid: string }
  /** The running cluster becomes one of ours, without a restart; or what was taken over is given back. */
  | {
      readonly kind: 'adopt';
      readonly undo?: boolean;
      /** `node/volume` → slot, where two drives of one size could be it. */
      readonly disks?: Readonly<Record<string, string>>;
      /** VMs of Terraform states that were found. */
      readonly terraform?: readonly TerraformVm[];
      /** Terraform manages them no longer, whatever their tags say. */
      readonly released?: boolean;
    }
  | { readonly kind: 'rotate-csi-token' }
  | HostDrainRequest
  | HostReturnRequest
  | HostLossRequest
  /** Nodes with `host: auto` move, so that hosts are evenly full and one may fail. */
  | { readonly kind: 'balance' };

/** A plan and what it was made from; only a session carries it out. */
export interface PreparedPlan {
  readonly request: PlanRequest;
  readonly plan: Plan;
  readonly design: Design;
  readonly observed: Observed;
  /** Needed by steps inside the cluster. */
  readonly kubernetes?: KubernetesDesign;
  /** Volumes that the request names, which the interlock would keep otherwise. */
  readonly allow: Pick<InterlockScope, 'mayLose' | 'mayForget' | 'mayAdopt' | 'mayRelease'>;
  /** What cannot be told by looking, so that a person has to. */
  readonly doubts: readonly string[];
  /** Which drive a volume is, where only a person can tell. */
  readonly questions?: readonly DiskQuestion[];
  /** What happens to each node of a host that is drained. */
  readonly drain?: readonly DrainDecision[];
  /** What a host that never comes back takes along, and what root has to do. */
  readonly loss?: HostLoss;
  /** How it is known that such a host is off. */
  readonly off?: OffProof;
  /** Machines that were off or did not answer: the next plan sees what this one could not. */
  readonly unobserved: readonly string[];
}

export async function planFor(site: Site, request: PlanRequest): Promise<PreparedPlan> {
  const made = await answer(site, request);
  return { ...made, unobserved: unobservedMachines(made.plan, made.observed) };
}

type Answer = Omit<PreparedPlan, 'unobserved'>;

async function answer(site: Site, request: PlanRequest): Promise<Answer> {
  const calm = { request, allow: {}, doubts: [] };
  switch (request.kind) {
    case 'converge': {
      const { kind: _, ...options } = request;
      const doubts = options.restore ? await doubtsAbout(site, options.restore) : [];
      return { ...calm, doubts, ...(await preparePlan(site, options)) };
    }
    case 'restart':
    case 'replace':
      return {
        ...calm,
        ...(await preparePlan(site, { only: request.nodes, [request.kind]: request.nodes })),
      };
    // What few plans need is loaded by them: a plan of the config starts sooner.
    case 'drain-host': {
      const { planHostDrain } = await import('./plan-host.js');
      return { ...calm, ...(await planHostDrain(site, request)) };
    }
    case 'return-host': {
      const { planHostReturn } = await import('./plan-host.js');
      return { ...calm, ...(await planHostReturn(site, request)) };
    }
    case 'lose-host': {
      const { planHostLoss } = await import('./plan-host-loss.js');
      return { ...calm, ...(await planHostLoss(site, request)) };
    }
    case 'balance': {
      const { planBalance } = await import('./plan-balance.js');
      return { ...calm, ...(await planBalance(site)) };
    }
    case 'adopt-volume':
      return adoption(site, request);
    case 'adopt':
      return (await import('./adoption.js')).adoptionPlan(site, request);
    case 'rotate-csi-token': {
      const situation = await look(site, { machines: true });
      return { ...calm, ...situation, plan: planTokenRotation(situation) };
    }
    default: {
      const deletes = request.kind === 'destroy' && request.deleteData === true;
      const seen = await look(site, { machines: false });
      // Adopted machines show first which disk is which.
      const adopted = deletes && visibleVms(seen.observed).some(wasAdopted);
      const { design, observed } = adopted ? await look(site, { machines: true }) : seen;
      return { ...calm, design, observed, ...planOfVms(site, design, observed, request) };
    }
  }
}

async function doubtsAbout(site: Site, snapshot: SnapshotFile): Promise<readonly string[]> {
  return (await import('../snapshots/snapshot-origin.js')).snapshotDoubts(site, snapshot);
}

function planOfVms(
  { machines: { secrets, secretsPath } }: Site,
  design: Design,
  observed: Observed,
  request: Extract<PlanRequest, { kind: 'destroy' | 'delete-volume' | 'forget-volume' }>,
): Pick<PreparedPlan, 'plan' | 'allow'> {
  if (request.kind === 'destroy') {
    const deleteData = request.deleteData === true;
    const plan = planDestroy(design, observed, { deleteData, ...(!secrets && { secretsLost: secretsPath }) });
    return { plan, allow: deleteData ? { mayLose: volumesLost(plan) } : {} };
  }
  if (request.kind === 'delete-volume') {
    const plan = planVolumeDelete(design, observed, request.name);
    return { plan, allow: { mayLose: volumesLost(plan) } };
  }
  const plan = planVolumeForget(design, observed, request.name);
  return { plan, allow: { mayForget: volumesForgotten(plan) } };
}

async function adoption(
  site: Site,
  request: Extract<PlanRequest, { kind: 'adopt-volume' }>,
): Promise<Answer> {
  const { name, volid } = request;
  const isCsi = site.config.volumes.some((volume) => volume.type === 'proxmox-csi' && volume.name === name);
  const { design: found, observed } = await look(site, { machines: isCsi });
  if (!isCsi) {
    const { plan, doubts } = planVolumeAdopt(found, observed, name, volid);
    return { request, plan, design: found, observed, allow: {}, doubts };
  }
  const design = withAdoptedDisk(found, observed, name, volid);
  const kubernetes = await site.machines.cluster.design(design, observed);
  const plan = planDiskAdoption(design, observed, kubernetes, name, volid);
  // Another cluster may use a disk of that name: a person says that it does not.
  const doubts = ['whether another cluster uses it'];
  return { request, plan, design, observed, kubernetes, allow: {}, doubts };
}

const REPEATS: ReadonlySet<PlanRequest['kind']> = new Set(['restart', 'replace', 'rotate-csi-token']);

/** What has nothing left to do after a run of this that went well; `undefined`: the command does again what it did. */
export function afterRun(request: PlanRequest): PlanRequest | undefined {
  if (REPEATS.has(request.kind)) return undefined;
  if (request.kind !== 'converge') return request;
  const { fresh: _renewed, restore: _snapshot, ...rest } = request;
  return rest;
}
