/** Before Kubernetes is upgraded: does anybody still write objects through an API version that the new version does not serve? */

import { OxherdError } from '../../model/error.js';
import type { Version } from '../../model/version.js';
import { objectsServedAs } from '../../observe/api-uses.js';
import { attempt } from '../../observe/attempt.js';
import type { Observed } from '../../observe/observed.js';
import {
  apiUsesOf,
  apiVersionOf,
  type RemovedApiFinding,
  removedApiFindings,
  removedBetween,
} from '../../plan/kubernetes/removed-apis.js';
import { runningVersions } from '../../plan/machines/running-versions.js';
import type { Plan } from '../../plan/plan.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';

/** Told each one; throws where objects would be lost. A cluster that cannot be asked is said, and stops nothing. */
export async function checkRemovedApis(
  context: Pick<SessionContext, 'tell'>,
  { machines: { cluster } }: Site,
  hop: { readonly from: Version; readonly to: Version },
  onFinding: (finding: RemovedApiFinding) => void,
): Promise<void> {
  const apis = removedBetween(hop.from, hop.to);
  const { client } = cluster;
  if (apis.length === 0 || !client) return;
  const asked = apis.flatMap((api) => api.kinds.map((kind) => ({ apiVersion: apiVersionOf(api), kind })));
  const objects = await attempt(() => objectsServedAs(client, asked));
  if (!objects.known) {
    context.tell({ kind: 'note', message: `removed APIs were not checked: ${objects.why}` });
    return;
  }
  const findings = removedApiFindings(objects.value.flatMap(apiUsesOf), hop.from, hop.to);
  for (const finding of findings) onFinding(finding);
  const problem = findings.find((finding) => finding.severity === 'problem');
  if (problem) throw new OxherdError('upgrade.removed-api', problem.message, { advice: problem.advice });
}

/** What the plan would do to Kubernetes as a whole; `undefined`: nothing. */
export function kubernetesHop(plan: Plan, observed: Observed, { config }: Site) {
  if (!plan.steps.some((step) => step.kind === 'upgrade-component')) return undefined;
  const running = runningVersions(
    observed,
    config.nodes.map((node) => node.name),
  );
  return running && { from: running.lowest.kubernetes, to: config.cluster.kubernetes };
}
