/** What the last rehearsal of a plan predicted: kept until the plan is carried out, and compared with what came. */
import { join } from 'node:path';
import { z } from 'zod';
import { clientFilesFolder } from '../../secrets/locate.js';
import { readIfThere, replacePrivateFile } from '../../secrets/private-file.js';
import { filesOf, type SessionContext } from '../context.js';
import type { Prediction } from '../journal/journal-file.js';
import type { ClusterName } from '../secrets/secrets-files.js';
import type { Rehearsal } from './rehearsal.js';

const saved = z.object({
  planId: z.string(),
  ms: z.number(),
  away: z.array(z.object({ node: z.string(), ms: z.number() })),
});

type Place = Pick<SessionContext, 'cwd' | 'target'>;

function fileOf(context: Place, cluster: ClusterName): string {
  return join(clientFilesFolder(filesOf(context), cluster), 'prediction.json');
}

/** Nothing is kept of a rehearsal that says nothing about the real run. */
export async function keepPrediction(
  context: Place,
  cluster: ClusterName,
  { valid, outcome, planId, ms, away, calibrated }: Rehearsal,
): Promise<void> {
  if (!valid || outcome !== 'done') return;
  const likely = calibrated
    ? { ms: calibrated.ms.p50, away: calibrated.away.map(({ node, p50 }) => ({ node, ms: p50 })) }
    : { ms, away: away.map((one) => ({ node: one.node, ms: one.ms })) };
  await replacePrivateFile(fileOf(context, cluster), `${JSON.stringify({ planId, ...likely })}\n`);
}

/** Of another plan, or unreadable: nothing was predicted. */
export async function keptPrediction(
  context: Place,
  cluster: ClusterName,
  planId: string,
): Promise<Prediction | undefined> {
  const text = await readIfThere(fileOf(context, cluster));
  if (text === undefined) return undefined;
  try {
    const { planId: of, ...prediction } = saved.parse(JSON.parse(text));
    return of === planId ? { type: 'prediction', ...prediction } : undefined;
  } catch {
    return undefined;
  }
}
