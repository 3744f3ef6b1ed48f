/** What stands between this computer and a working apply: facts from Proxmox, and the checks on them. */
import { inspectCertificate } from '../../clients/proxmox/index.js';
import { observeGates } from '../../observe/observe-gates.js';
import type { Site } from '../connect/site.js';
import { designFor } from '../plan/prepare-plan.js';
import type { Check } from './check.js';
import { examine } from './examine.js';
import type { DoctorFacts } from './facts.js';
import { gather } from './gather.js';
import { gatherReach } from './reach.js';

const INSPECT_TIMEOUT_MS = 5_000;

export interface ExamineOptions {
  /** Ask Proxmox alone: neither nodes nor anything on the internet. */
  readonly offline?: boolean;
}

export async function examineSite(site: Site, { offline = false }: ExamineOptions = {}): Promise<Check[]> {
  const { config, client, clock } = site;
  const design = await designFor(site);
  const facts = await gather(config, design, {
    client,
    inspect: (endpoint) => inspectCertificate(endpoint, { timeoutMs: INSPECT_TIMEOUT_MS }),
    hostNow: () => clock.now(),
    now: () => Date.now(),
  });
  if (offline || !facts.cluster.reached) return examine(config, design, facts);
  const reach = await gatherReach(site, design.nodes, facts.cluster.facts);
  const gates = await gatherGates(site);
  return examine(config, design, { ...facts, reach, ...(gates && { gates }) });
}

async function gatherGates({ config, machines: { cluster } }: Site): Promise<DoctorFacts['gates']> {
  const { gates } = config.policy;
  if (gates.length === 0 || !cluster.client || !(await cluster.client.ready())) return undefined;
  return observeGates(cluster.client, gates);
}
