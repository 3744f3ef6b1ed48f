/** Cases that were tried, by plan: a later call for the same plan goes on where the last one stopped. */
import { join } from 'node:path';
import { z } from 'zod';
import { FAULTS, type FaultName } from '../../../lab/faults.js';
import { clientFilesFolder } from '../../../secrets/locate.js';
import { readIfThere, replacePrivateFile } from '../../../secrets/private-file.js';
import { filesOf, type SessionContext } from '../../context.js';
import type { ClusterName } from '../../secrets/secrets-files.js';
import type { Chaos } from './chaos.js';
import { type ChaosResult, VERDICTS } from './chaos-case.js';

const result = z.object({
  id: z.string(),
  step: z.string(),
  kind: z.string(),
  node: z.string(),
  fault: z.custom<FaultName>((name) => typeof name === 'string' && name in FAULTS),
  subject: z.string(),
  verdict: z.enum(VERDICTS),
  why: z.string().exactOptional(),
});
const saved = z.object({ planId: z.string(), tried: z.array(result) });

function fileOf(context: Pick<SessionContext, 'cwd' | 'target'>, cluster: ClusterName): string {
  return join(clientFilesFolder(filesOf(context), cluster), 'chaos.json');
}

/** Of another plan, or unreadable: nothing was tried. */
export async function keptChaos(
  context: Pick<SessionContext, 'cwd' | 'target'>,
  cluster: ClusterName,
  planId: string,
): Promise<readonly ChaosResult[]> {
  const text = await readIfThere(fileOf(context, cluster));
  if (text === undefined) return [];
  try {
    const kept = saved.parse(JSON.parse(text));
    return kept.planId === planId ? kept.tried : [];
  } catch {
    return [];
  }
}

export async function keepChaos(
  context: Pick<SessionContext, 'cwd' | 'target'>,
  cluster: ClusterName,
  { planId, tried }: Chaos,
): Promise<void> {
  await replacePrivateFile(fileOf(context, cluster), `${JSON.stringify({ planId, tried }, null, 1)}\n`);
}
