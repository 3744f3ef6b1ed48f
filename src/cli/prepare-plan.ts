/** Everything a plan needs, read and checked: what should be, what is, and whether the secrets fit. */
import type { Design } from '../design/design.js';
import { design as designCluster } from '../design/design-cluster.js';
import { DATA_TAG } from '../formats/data-tag.js';
import { parseVmid, type Vmid } from '../model/identity.js';
import { observe } from '../observe/observe.js';
import { observeMachines } from '../observe/observe-machines.js';
import type { Observed } from '../observe/observed.js';
import type { Plan } from '../plan/plan.js';
import { type PlanOptions, planCluster } from '../plan/plan-cluster.js';
import { type ClusterTrace, checkSecretsBelong } from '../secrets/belonging.js';
import { secretsFingerprint } from '../secrets/talos-secrets.js';
import type { Site } from './site.js';

export interface Situation {
  readonly design: Design;
  readonly observed: Observed;
}

/** Proxmox alone, or the machines as well. */
export async function look(site: Site, options: { machines: boolean }): Promise<Situation> {
  const design = await designFor(site);
  const observed = await observe(site.client, design);
  if (!options.machines) return { design, observed };
  checkSecretsBelong(site.machines.secrets, tracesIn(observed, design), site.machines.secretsPath);
  const machines = await observeMachines(site.machines.talos, site.client, design, observed);
  return { design, observed: { ...observed, machines } };
}

export async function preparePlan(
  site: Site,
  options: Pick<PlanOptions, 'only' | 'restart' | 'replace'> = {},
): Promise<Situation & { plan: Plan }> {
  const situation = await look(site, { machines: true });
  const { design, observed } = situation;
  const machines = await site.machines.desired(design);
  return {
    ...situation,
    plan: planCluster(design, observed, { machines, policy: site.config.policy, ...options }),
  };
}

/** Automatic placement leaves VMs where they are, so it has to know where that is. */
export async function designFor({ config, client, machines }: Site): Promise<Design> {
  const automatic = config.nodes.some((node) => node.host === 'auto');
  const hosts = automatic ? new Map((await client.vms()).flatMap((vm) => hostEntry(vm))) : undefined;
  return designCluster(config, {
    ...(hosts && { observedHosts: hosts }),
    dataVmNotes: machines.secrets ? [`secrets ${secretsFingerprint(machines.secrets)}`] : [],
  });
}

function hostEntry(vm: { vmid: number; node: string }): [Vmid, string][] {
  const vmid = parseVmid(vm.vmid);
  return vmid === undefined ? [] : [[vmid, vm.node]];
}

function tracesIn(observed: Observed, design: Design): ClusterTrace[] {
  return Object.values(observed.vms).flatMap((vm) => {
    if (!vm.tags.includes(design.cluster.tag) || !vm.tags.includes(DATA_TAG) || !vm.config.known) return [];
    const fingerprint = /^secrets (\S+)$/m.exec(vm.config.value.values.description ?? '')?.[1];
    return fingerprint ? [{ fingerprint, where: `data VM ${vm.vmid} (${vm.name})` }] : [];
  });
}
