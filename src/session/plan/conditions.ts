/** How the cluster is, by everything that can be asked. */

import { volumesWithoutBackup } from '../../design/backup-job.js';
import type { Design } from '../../design/design.js';
import { assess } from '../../health/assess.js';
import type { CertificateTerm } from '../../health/certificates.js';
import type { Condition } from '../../health/condition.js';
import { type NodeRow, nodeRows } from '../../health/node-rows.js';
import type { Observed } from '../../observe/observed.js';
import type { UnreadPart } from '../../observe/observed-unread.js';
import { offForMaintenance } from '../../plan/facts/drained-nodes.js';
import { incompleteParts } from '../../plan/facts/incomplete.js';
import { resolveHosts, withHosts } from '../../plan/vms/node-host.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { certificateTerms } from '../secrets/certificate-terms.js';
import { look, type Situation } from './prepare-plan.js';

export interface ClusterStatus {
  readonly conditions: readonly Condition[];
  readonly nodes: readonly NodeRow[];
  /** Parts in scope that were not read. */
  readonly incomplete: readonly UnreadPart[];
  /** What it was judged from. */
  readonly design: Design;
  readonly observed: Observed;
  readonly certificates: readonly CertificateTerm[];
}

export async function clusterStatus(context: SessionContext, site: Site): Promise<ClusterStatus> {
  return statusOf(context, site, await look(site, { machines: true, health: true }));
}

/** By a look with `health`. */
export async function statusOf(
  context: SessionContext,
  site: Site,
  { design, observed, kubernetes }: Situation,
): Promise<ClusterStatus> {
  // A node that was moved outside oxherd is told the host it is on.
  const resolved = withHosts(design, resolveHosts(design, observed));
  const desired = site.machines.secrets ? await site.machines.desired(resolved) : undefined;
  const wantedConfigs = Object.fromEntries(
    Object.entries(desired?.configs ?? {}).map(([node, config]) => [node, config.hash]),
  );
  const certificates = await certificateTerms(context, site.config, site.machines.secrets);
  const conditions = assess({
    // A host that no node is on any more, since it was lost, is not missed.
    design: resolved,
    observed,
    wantedConfigs,
    drained: offForMaintenance(design, observed),
    certificates,
    kubernetes,
    gates: site.config.policy.gates,
    withoutBackup: volumesWithoutBackup(site.config, design.nodes),
    backupNow: site.clock.now(),
    now: Date.now(),
  });
  const nodes = nodeRows(resolved, observed, conditions);
  const incomplete = incompleteParts(design, observed);
  return { conditions, nodes, incomplete, design: resolved, observed, certificates };
}
