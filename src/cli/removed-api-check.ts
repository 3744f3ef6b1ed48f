/** Before a hop of Kubernetes: does anybody still write objects through an API version that the hop takes away? */
import { OxherdError } from '../model/error.js';
import type { Version } from '../model/version.js';
import { objectsServedAs } from '../observe/api-uses.js';
import {
  apiUsesOf,
  apiVersionOf,
  type RemovedApiFinding,
  removedApiFindings,
  removedBetween,
} from '../plan/removed-apis.js';
import type { CliContext } from './context.js';
import type { Site } from './site.js';
import { paint } from './views/paint.js';

export async function checkRemovedApis(
  context: CliContext,
  { machines: { cluster } }: Site,
  hop: { readonly from: Version; readonly to: Version },
): Promise<void> {
  const apis = removedBetween(hop.from, hop.to);
  if (apis.length === 0 || !cluster.client) return;
  const asked = apis.flatMap((api) => api.kinds.map((kind) => ({ apiVersion: apiVersionOf(api), kind })));
  const objects = await objectsServedAs(cluster.client, asked);
  const findings = removedApiFindings(objects.flatMap(apiUsesOf), hop.from, hop.to);
  for (const finding of findings) tell(context, finding);
  const problem = findings.find((finding) => finding.severity === 'problem');
  if (problem) throw new OxherdError('upgrade.removed-api', problem.message, { advice: problem.advice });
}

function tell(context: CliContext, { severity, apiVersion, kind, message, advice }: RemovedApiFinding): void {
  if (context.globals.json) {
    context.stdout.write(
      `${JSON.stringify({ type: 'removed-api', severity, apiVersion, kind, message, advice })}\n`,
    );
    return;
  }
  const colors = paint(context.globals.color);
  context.stdout.write(`${colors.yellow('warning')} ${message}\n  ${colors.dim(advice)}\n`);
}
