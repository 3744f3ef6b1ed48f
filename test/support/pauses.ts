/** Changes of a cluster whose process is suspended on the way: what must hold meanwhile and afterwards. */
import type { CliResult } from './cli.js';
import type { ClusterSite } from './cluster-site.js';
import { type Herd, herd } from './herd.js';
import { RunningHerd } from './rolling.js';
import { ROLLING_KINDS } from './rolling-kinds.js';
import { SuspendedProcess, type Suspension } from './suspension.js';
import type { Limits } from './watcher.js';

export interface PausedChange {
  /** The cluster that runs before; absent: only the hosts exist. */
  readonly first?: Herd;
  readonly change: Herd;
  readonly edit?: (text: string) => string;
}

const MINUTE = 60_000;
const ONE_OF_EACH: Herd = { controlPlanes: 1, workers: 1, more: 'policy: { outage: allow }' };
const THREE: Herd = { controlPlanes: 3, workers: 0 };

/** The order of a roll, of a first run and of what else takes a node down; membership of etcd is in test/exhaustive/recovery. */
export const PAUSED_CHANGES: Readonly<Record<string, PausedChange>> = {
  'first run': { change: { ...ONE_OF_EACH, workers: 2 } },
  'more memory': { first: THREE, change: ROLLING_KINDS.memory },
  'staged config': { first: THREE, change: ROLLING_KINDS.config },
  'tried config': {
    first: ONE_OF_EACH,
    change: { schematic: '  patches: { all: [{ machine: { kubelet: { extraArgs: { v: "4" } } } }] }' },
  },
  'Talos upgrade': { first: THREE, change: ROLLING_KINDS.talos },
  'Kubernetes upgrade': { first: ONE_OF_EACH, change: { kubernetes: 'v1.35.0' } },
  'new extensions': { first: ONE_OF_EACH, change: ROLLING_KINDS.schematic },
  'another host': {
    first: ONE_OF_EACH,
    change: {},
    edit: (text) => text.replace('worker, host: pve1', 'worker, host: pve2'),
  },
  'another address': {
    first: ONE_OF_EACH,
    change: {},
    edit: (text) => text.replace('ip: 10.20.30.51', 'ip: 10.20.30.61'),
  },
  'a worker less': { first: { ...ONE_OF_EACH, workers: 2 }, change: { workers: 1 } },
  'larger volumes': { first: ONE_OF_EACH, change: { volumes: { scratch: '2GiB', more: '1GiB' } } },
};

/** Of one control plane an outage is what was asked for. The API is not probed: an hour has 3600 seconds. */
function limitsOf({ first, change }: PausedChange): Partial<Limits> {
  const quorum = { ...first, ...change }.controlPlanes !== 1;
  return { quorum, handOverSeconds: Number.POSITIVE_INFINITY };
}

function configOf({ first = {}, change, edit = (text) => text }: PausedChange): string {
  return edit(herd({ ...first, ...change }));
}

export async function herdOf({ first, change }: PausedChange): Promise<RunningHerd> {
  return first ? RunningHerd.build(first) : RunningHerd.unbuilt(change);
}

/**
 * Where a pause matters: after each write, whose answer is then read late, and after the last read before each write, which
 * then rests on what was read long ago.
 */
export async function pausePoints(running: RunningHerd, change: PausedChange): Promise<number[]> {
  const site = await running.copy();
  site.config = configOf(change);
  const requests = await SuspendedProcess.run(site.lab, undefined, async (process) => {
    site.through = process.through;
    const { exit, stdout, stderr } = await site.run('apply', '--yes');
    if (exit !== 0) throw new Error(`the run without a pause failed:\n${stdout}${stderr}`);
    return process.requests;
  });
  await running.removeCopies();
  const writes = requests.flatMap(({ reads }, at) => (reads ? [] : [at]));
  // Whether the last request comes at all depends on the ones before it.
  return [...new Set(writes.flatMap((at) => [Math.max(0, at - 1), at]))].filter(
    (at) => at < requests.length - 2,
  );
}

export async function pauseProblems(
  running: RunningHerd,
  change: PausedChange,
  suspension: Suspension,
): Promise<string[]> {
  const site = await running.copy();
  try {
    site.config = configOf(change);
    const limits = limitsOf(change);
    const first = await SuspendedProcess.run(site.lab, suspension, async (process) => {
      site.through = process.through;
      return { ...(await site.watch(['apply', '--yes'], limits)), state: process.state };
    });
    site.through = (place) => place;
    const problems = [
      ...(first.state === 'resumed' ? [] : ['the process was not suspended']),
      ...first.report.violations,
      ...lies(first.result),
    ];
    return [...problems, ...(await convergence(site, limits))];
  } finally {
    await running.removeCopies();
  }
}

/**
 * Another person takes the lock and applies meanwhile: the suspended process sends nothing more. It may still ask for the
 * lock itself.
 */
export async function takenOverProblems(
  running: RunningHerd,
  change: PausedChange,
  suspension: Suspension,
): Promise<string[]> {
  const site = await running.copy();
  try {
    site.config = configOf(change);
    const others: CliResult[] = [];
    const meanwhile = async () => {
      site.through = (place) => place;
      others.push(await site.run('unlock', '--yes'), await site.run('apply', '--yes'));
    };
    const { result, state, writes } = await SuspendedProcess.run(
      site.lab,
      suspension,
      async (process) => {
        site.through = process.through;
        const ended = await site.run('apply', '--yes');
        return { result: ended, state: process.state, writes: process.writesAfter };
      },
      meanwhile,
    );
    const plan = await site.run('plan', '--exit-code');
    return [
      ...(state === 'resumed' ? [] : ['the process was not suspended']),
      ...others.flatMap((other) => (other.exit === 0 ? [] : [`the other run failed: ${told(other)}`])),
      ...writes.filter((request) => !request.includes(' /pools')).map((request) => `sent ${request}`),
      ...lies(result),
      ...(plan.exit === 0 ? [] : [`something is left to do: ${told(plan)}`]),
    ];
  } finally {
    await running.removeCopies();
  }
}

/** A run that stops says why and what to do next. */
function lies({ exit, stdout, stderr }: CliResult): string[] {
  if (exit === 0) return [];
  const text = `${stdout}${stderr}`;
  const hasAdvice = /^ *next /m.test(text) && !/this is a bug/.test(text);
  return hasAdvice ? [] : [`the run ended with ${exit}:\n${text}`];
}

async function convergence(site: ClusterSite, limits: Partial<Limits>): Promise<string[]> {
  const second = await site.watch(['apply', '--yes'], limits);
  const problems = [...second.report.violations];
  if (second.result.exit !== 0) problems.push(`the next apply failed: ${told(second.result)}`);
  const plan = await site.run('plan', '--exit-code');
  if (plan.exit !== 0) problems.push(`something is left to do: ${told(plan)}`);
  return problems;
}

function told({ exit, stdout, stderr }: CliResult): string {
  return `exit ${exit}\n${stdout}${stderr}`;
}

/** One of each length at each point; short pauses with and without a loss of connections in turn. */
export function suspensionsAt(points: readonly number[]): Suspension[] {
  return points.flatMap((at, index) =>
    [1, 10, 60].map(
      (minutes, part): Suspension => ({
        at,
        ms: minutes * MINUTE,
        way: (index + part) % 2 === 0 ? 'stopped' : 'asleep',
      }),
    ),
  );
}
