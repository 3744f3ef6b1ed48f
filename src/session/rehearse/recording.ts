/**
 * What a run started from, kept beside its journal: its plan, what was asked, and the cluster as it stood, without secrets.
 * `runs replay` makes a twin of it.
 */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { OxherdError } from '../../model/error.js';
import { visibleVms } from '../../observe/observed-vms.js';
import { parsePlan } from '../../plan/saved-plan.js';
import { runsFolder } from '../../secrets/locate.js';
import { MAX_FILE_BYTES } from '../../secrets/read-file.js';
import type { Site } from '../connect/site.js';
import { filesOf, type SessionContext } from '../context.js';
import { journalFolders } from '../journal/journal.js';
import type { PlanRequest, PreparedPlan } from '../plan/plan-request.js';
import type { ClusterName } from '../secrets/secrets-files.js';
import { type Observation, parseObservation, redactedObservation } from './observation.js';
import { observationOf, takeObservation } from './take-observation.js';

export interface RunRecording {
  readonly request: PlanRequest;
  readonly plan: ReturnType<typeof parsePlan>;
  readonly observation: Observation;
}

type Place = Pick<SessionContext, 'cwd' | 'target'>;

const FORMAT = 1;
/** Each is some tens of kilobytes; of a large cluster a megabyte or two. */
const KEPT = 20;
const ENDING = '.replay.gz';

const saved = z.object({
  format: z.literal(FORMAT),
  request: z.custom<PlanRequest>((value) => z.looseObject({ kind: z.string() }).safeParse(value).success),
  plan: z.looseObject({}),
  observation: z.looseObject({}),
});

function pathOf(context: Place, cluster: ClusterName, runId: string): string {
  return join(runsFolder(filesOf(context), cluster), `${runId}${ENDING}`);
}

/** A run is not held up by what could not be kept of its beginning. */
export async function keepRecording(
  context: Pick<SessionContext, 'cwd' | 'target' | 'tell'>,
  site: Site,
  prepared: Pick<PreparedPlan, 'request' | 'plan' | 'design' | 'observed' | 'kubernetes'>,
  runId: string,
): Promise<void> {
  const { request, plan, design, observed } = prepared;
  try {
    const asked = Object.keys(observed.machines).length > 0 || visibleVms(observed).length === 0;
    const observation = asked ? await observationOf(site, prepared) : await takeObservation(site);
    const document = { format: FORMAT, request, plan, observation: redactedObservation(observation) };
    const path = pathOf(context, design.cluster, runId);
    const folder = runsFolder(filesOf(context), design.cluster);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(path, await promisify(gzip)(JSON.stringify(document)), { mode: 0o600, flag: 'wx' });
    for (const old of recordingsIn(folder).slice(KEPT)) await rm(old, { force: true });
  } catch (error) {
    const message = `this run cannot be replayed later: ${OxherdError.from(error).message}`;
    context.tell({ kind: 'note', message });
  }
}

/** Newest first. */
function recordingsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => join(folder, name))
    .map((path) => ({ path, at: statSync(path).mtimeMs }))
    .sort((a, b) => b.at - a.at)
    .map(({ path }) => path);
}

export async function readRecording(
  context: Place,
  cluster: ClusterName,
  runId: string,
): Promise<RunRecording> {
  const path = pathOf(context, cluster, runId);
  const text = await unpacked(path, runId);
  const parsed = saved.safeParse(JSON.parse(text));
  if (!parsed.success)
    throw new OxherdError('runs.recording', `${path} was written by another oxherd version`, {
      where: path,
      advice: 'replay it with the version that made the run',
    });
  const { request, plan, observation } = parsed.data;
  return {
    request,
    plan: parsePlan(JSON.stringify(plan), path),
    observation: parseObservation(JSON.stringify(observation), path),
  };
}

const titled = z.object({
  plan: z.object({ steps: z.array(z.object({ id: z.string(), title: z.string() })) }),
});

/** Step → title of the plan of a run, of steps that never started too; empty where it was not kept. */
export async function recordedTitles(
  cwd: string,
  lab: boolean,
  runId: string,
): Promise<ReadonlyMap<string, string>> {
  const path = journalFolders(cwd, lab)
    .map((folder) => join(folder, `${runId}${ENDING}`))
    .find((one) => existsSync(one));
  if (path === undefined) return new Map();
  try {
    const { plan } = titled.parse(JSON.parse(await unpacked(path, runId)));
    return new Map(plan.steps.map(({ id, title }) => [id, title]));
  } catch {
    return new Map();
  }
}

async function unpacked(path: string, runId: string): Promise<string> {
  try {
    const unpack = promisify<Buffer, { maxOutputLength: number }, Buffer>(gunzip);
    return (await unpack(readFileSync(path), { maxOutputLength: MAX_FILE_BYTES })).toString('utf8');
  } catch (cause) {
    throw new OxherdError('runs.recording', `the state that run ${runId} started from was not kept`, {
      where: path,
      advice: `that of the last ${KEPT} runs is; see \`oxherd runs list\``,
      cause,
    });
  }
}
