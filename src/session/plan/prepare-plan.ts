/** Everything a plan needs, read and checked: what should be, what is, and whether the secrets fit. */

import type { Resources } from '../../clients/proxmox/calls/resources.js';
import type { Design, NodeDesign } from '../../design/design.js';
import { design as designCluster } from '../../design/design-cluster.js';
import type { KubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { SECRETS_TO_COME } from '../../formats/marks/secrets-note.js';
import { parseVmid, type Vmid } from '../../model/identity.js';
import { attempt } from '../../observe/attempt.js';
import { observe } from '../../observe/observe.js';
import { observeKubernetes } from '../../observe/observe-kubernetes.js';
import { acceptingMachines, observeMachines } from '../../observe/observe-machines.js';
import { observeForeignMembers, observeRemovedMachines } from '../../observe/observe-removed-machines.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import type { ObservedKubernetes } from '../../observe/observed-kubernetes.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { readSystemImages } from '../../observe/system-images.js';
import { selectorNotes } from '../../plan/adopt/selector-notes.js';
import { hostMemory } from '../../plan/capacity/host-memory.js';
import { capacityNotes, capacityProblems } from '../../plan/capacity/problems.js';
import { withFoundVolumes } from '../../plan/facts/csi-volume-names.js';
import { isProved, printOn } from '../../plan/facts/proved-vm.js';
import { removedVms } from '../../plan/facts/removed-vms.js';
import type { Plan } from '../../plan/plan.js';
import { type PlanOptions, planCluster } from '../../plan/plan-cluster.js';
import { resolveHosts, withHosts } from '../../plan/vms/node-host.js';
import { type ClusterTrace, checkSecretsBelong } from '../../secrets/belonging.js';
import { secretsFingerprint } from '../../secrets/talos-secrets.js';
import type { Site } from '../connect/site.js';

export interface Situation {
  readonly design: Design;
  readonly observed: Observed;
  /** What should be in the cluster. */
  readonly kubernetes: KubernetesDesign;
}

export interface LookOptions {
  /** The machines and the cluster too; else Proxmox alone. */
  readonly machines: boolean;
  /** Nodes that start again: whose secrets their data was made with does not matter. */
  readonly fresh?: readonly string[];
  /** Workloads as well. */
  readonly health?: boolean;
  /** VMs on the ids of nodes count as theirs whatever they carry: they may be taken over. */
  readonly adopt?: boolean;
}

export async function look(site: Site, options: LookOptions): Promise<Situation> {
  const found = await designFor(site);
  const fresh = options.fresh ?? [];
  const { outsiders } = site;
  const listed = await observe(site.client, found, {
    fresh,
    adopt: options.adopt === true,
    ...(outsiders && { outsiders }),
  });
  const doubtful = removedVms(found, listed).filter(
    (vm) => !isProved({ design: found, observed: listed }, vm),
  );
  const accepting = await acceptingMachines(site.machines.talos, doubtful);
  const observed = accepting.length > 0 ? { ...listed, accepting } : listed;
  const design = {
    ...found,
    cluster: { ...found.cluster, formerSecrets: secretsBefore(found, observed, fresh) },
  };
  const kubernetes = await site.machines.cluster.design(design, observed);
  if (!options.machines) return withFoundDisks(site, { design, observed, kubernetes });
  const traces = tracesIn(observed, design, fresh);
  checkSecretsBelong(site.machines.secrets, traces, site.machines.secretsPath);
  const { talos } = site.machines;
  const [machines, removedMachines] = await Promise.all([
    observeMachines(talos, site.client, design, observed),
    observeRemovedMachines(talos, site.client, design, observed),
  ]);
  const foreignMembers = await observeForeignMembers(talos, [
    ...Object.values(machines),
    ...Object.values(removedMachines),
  ]);
  const seen = { ...observed, machines, removedMachines, foreignMembers };
  const cluster = await lookAtCluster(site, seen, kubernetes, options.health === true);
  const systemImages = cluster && (await lookAtSystemImages(site, design, machines, cluster));
  const all = { ...seen, ...(cluster && { kubernetes: cluster }), ...(systemImages && { systemImages }) };
  return withFoundDisks(site, { design, observed: all, kubernetes });
}

/** With the disks of CSI volumes that have other names than new ones would. */
async function withFoundDisks(site: Site, situation: Situation): Promise<Situation> {
  const { design: planned, observed } = situation;
  const design = withFoundVolumes(planned, observed);
  if (design === planned) return situation;
  return { design, observed, kubernetes: await site.machines.cluster.design(design, observed) };
}

/** Through any control plane that runs, while an API server answers. */
async function lookAtSystemImages(
  { machines: { cluster, talos } }: Site,
  design: Design,
  machines: Observed['machines'],
  { endpoints }: ObservedKubernetes,
): Promise<Observed['systemImages']> {
  const { client } = cluster;
  const node = design.nodes.find(({ name, role }) => {
    const details = machines[name]?.details;
    return role === 'controlplane' && details?.known && details.value.stage === 'running';
  });
  const admin = node && talos.admin(node.ip);
  if (!client || !admin || !Object.values(endpoints).some((ready) => ready)) return undefined;
  return attempt(() => readSystemImages(admin, client));
}

/** No one is asked before a machine has its config. */
async function lookAtCluster(
  { config, machines: { cluster } }: Site,
  observed: Observed,
  design: KubernetesDesign,
  health: boolean,
) {
  const { machines, removedMachines = {} } = observed;
  const configured = [...Object.values(machines), ...Object.values(removedMachines)].some(
    ({ presence }) => presence === 'configured',
  );
  if (!cluster.client || !configured) return undefined;
  return observeKubernetes({
    client: cluster.client,
    design,
    endpoints: cluster.endpoints,
    gates: config.policy.gates,
    health,
  });
}

export async function preparePlan(
  site: Site,
  options: Pick<PlanOptions, 'only' | 'restart' | 'replace' | 'fresh' | 'restore'> = {},
): Promise<Situation & { plan: Plan }> {
  // What a snapshot holds can be read with the old secrets alone.
  const fresh = options.restore ? [] : (options.fresh ?? []);
  return planOf(site, await look(site, { machines: true, fresh }), options);
}

/** For what was seen. */
export async function planOf(
  site: Site,
  situation: Situation,
  options: Partial<PlanOptions> = {},
): Promise<Situation & { plan: Plan }> {
  const { design: resolved, options: common } = await planOptionsFor(site, situation);
  return {
    ...situation,
    design: resolved,
    plan: planCluster(situation.design, situation.observed, { ...common, ...options }),
  };
}

/** What the planner is told besides what is there. */
export async function planOptionsFor(
  site: Site,
  { design, observed, kubernetes }: Situation,
): Promise<{ readonly design: Design; readonly options: PlanOptions }> {
  const hosts = resolveHosts(design, observed);
  const resolved = withHosts(design, hosts);
  const machines = await site.machines.desired(resolved);
  const { config } = site;
  const found = {
    problems: capacityProblems(config, resolved, observed),
    notes: [...capacityNotes(config, resolved, observed), ...selectorNotes(config, resolved, observed)],
  };
  return { design: resolved, options: { hosts, machines, kubernetes, policy: config.policy, found } };
}

/** Automatic placement leaves VMs where they are, so it has to know where that is, and what else the hosts carry. */
export async function designFor({ config, client, machines }: Site): Promise<Design> {
  const automatic = config.nodes.some((node) => node.host === 'auto');
  return designCluster(config, {
    ...(automatic && placementFacts(config, await client.resources())),
    secrets: machines.secrets ? secretsFingerprint(machines.secrets) : SECRETS_TO_COME,
  });
}

function placementFacts(config: Site['config'], { hosts, vms }: Resources) {
  const ours = new Set(config.nodes.map(({ vmid }) => Number(vmid)));
  return {
    observedHosts: new Map(vms.flatMap((vm) => hostEntry(vm))),
    hostMemory: hostMemory(
      // A host that does not report its load may well be up: its size is just not known.
      hosts.map(({ node, unreported, ...host }) => ({
        ...host,
        name: node,
        online: host.online || unreported,
      })),
      vms.map(({ node, ...vm }) => ({ ...vm, host: node })),
      ours,
    ),
  };
}

function hostEntry(vm: { vmid: number; node: string }): [Vmid, string][] {
  const vmid = parseVmid(vm.vmid);
  return vmid === undefined ? [] : [[vmid, vm.node]];
}

/** Of the nodes in oxherd.yaml; what else is parked is looked at when its node comes back. */
function tracesIn(observed: Observed, design: Design, fresh: readonly string[]): ClusterTrace[] {
  return design.nodes
    .filter(({ name }) => !fresh.includes(name))
    .flatMap((node) => {
      return markedVms(node, observed).flatMap((vm) => {
        const fingerprint = printOn(vm);
        const kind = vm.vmid === node.dataVm?.vmid ? 'data VM' : 'VM';
        return fingerprint ? [{ fingerprint, where: `${kind} ${vm.vmid} (${vm.name})` }] : [];
      });
    });
}

/** The secrets with which nodes that begin again were made. */
function secretsBefore(design: Design, observed: Observed, fresh: readonly string[]): string[] {
  const noted = design.nodes
    .filter(({ name }) => fresh.includes(name))
    .flatMap((node) => markedVms(node, observed))
    .flatMap((vm) => printOn(vm) ?? []);
  return [...new Set(noted)].filter((fingerprint) => fingerprint !== design.cluster.secrets).sort();
}

/** The VMs of a node that may carry a fingerprint, this cluster's or another one's. */
function markedVms({ talosVm, dataVm }: NodeDesign, observed: Observed): ObservedVm[] {
  return [dataVm, talosVm].flatMap((vm) => {
    const lookalike = vm && observed.lookalikes[vm.vmid];
    return visibleVm(observed, vm?.vmid) ?? (lookalike?.because === 'secrets' ? lookalike : []);
  });
}
