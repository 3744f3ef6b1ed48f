/** Hosts that are maintained, with a fault in one of the steps, and the runs after it, when the fault is gone. */
import type { FaultName } from '../../src/lab/faults.js';
import type { RunEvent } from '../../src/model/events.js';
import { type Occasion, OccasionRecorder } from '../../src/session/rehearse/chaos/occasions.js';
import type { CliResult } from './cli.js';
import type { ClusterSite } from './cluster-site.js';
import { falseWords } from './fault-words.js';
import type { Rebuilding } from './host-roll.js';
import { helpByHand } from './rolling-faults.js';
import { configOf } from './vm-site.js';
import { AFTER_A_FAULT, keptData, type Limits } from './watcher.js';

const TIMEOUT_MS = 1_500;

/** Nodes are up again, and storage is in sync. */
const SETTLED_MS = 240_000;
/** A status daemon reports every ten seconds; until then what it did not say counts as not there. */
const REPORTED_MS = 20_000;

/** What the fault itself takes away is no violation. */
const LIMITS: Partial<Record<FaultName, Partial<Limits>>> = {
  'vip-lost': { handOverSeconds: Number.POSITIVE_INFINITY },
  // The pods that earlier turns have brought to one host go with it together.
  'host-down': { away: 3, budgets: false },
};

/** Faults that take a node away by themselves, whatever storage says. */
export const STRIKE_NODES: ReadonlySet<FaultName> = new Set(['host-down', 'machine-stuck']);

const OF_A_HOST: ReadonlySet<FaultName> = new Set(['host-down', 'partition']);

interface Copies {
  copy(): Promise<ClusterSite>;
  removeCopies(): Promise<void>;
}

export interface HostRun {
  /** Before the run that meets the fault. */
  readonly before: readonly (readonly string[])[];
  readonly run: readonly string[];
  /** What is run after a fault in the n-th plan of the run, counted from 1. */
  readonly resume: (plan: number) => readonly (readonly string[])[];
  /** What watches along. */
  readonly beside?: (site: ClusterSite) => Rebuilding;
  /** Nodes that may be away at a time. */
  readonly away: number;
}

/** Names of steps start with the number of their plan: a roll has two for each host. */
export async function hostOccasions(
  copies: Copies,
  { before, run, beside, away }: HostRun,
): Promise<Occasion[]> {
  const site = await copies.copy();
  const watch = beside?.(site);
  for (const args of before) await site.run(...args);
  const { nodes } = configOf(site.config);
  const recorder = new OccasionRecorder((name) => {
    const node = nodes.find((one) => one.name === name);
    return { vmid: Number(node?.vmid ?? 0), host: node?.host ?? '' };
  });
  recorder.listenTo(site.lab.core.faults);
  const { result, report } = await watchedEvents(site, run, (event) => recorder.emit(event), { away });
  watch?.stop();
  const wrong = [...report.violations, ...(watch?.violations ?? [])];
  if (result.exit !== 0 || wrong.length > 0)
    throw new Error(`the run without a fault failed: ${wrong.join('; ')}\n${result.stdout}${result.stderr}`);
  await copies.removeCopies();
  return recorder.occasions;
}

/** What was wrong with it. */
export async function hostMeetsFault(
  copies: Copies,
  { before, run, resume, beside, away }: HostRun,
  occasion: Occasion,
): Promise<string[]> {
  const { fault, step, subject, kind } = occasion;
  const site = await copies.copy();
  const watch = beside?.(site);
  try {
    const { faults } = site.lab.core;
    for (const args of before) await site.run(...args);
    const data = keptData(site.lab);
    if (fault === 'api-timeout') site.requestTimeoutMs = TIMEOUT_MS;
    const limits = limitsOf(fault, away);
    const events: RunEvent[] = [];
    let armed = false;
    const first = await watchedEvents(
      site,
      run,
      (event) => {
        events.push(event);
        if (armed || event.type !== 'step-started' || event.step !== step.id) return;
        armed = true;
        faults.set({ name: fault, subject, countdown: kind === 'blow' ? 0 : null });
        if (isHangingCopy(occasion)) stopTasksLater(site);
      },
      limits,
    );
    faults.clear(fault);
    await aftermath(site, fault);
    const problems = [
      ...(armed ? [] : ['the fault did not strike']),
      ...first.report.violations,
      ...wordsOf(occasion, first.result, events),
    ];
    for (const args of first.result.exit === 0 && run.includes('roll') ? [] : resume(planOf(step.id))) {
      const { result, report } = await site.watch(args, limits);
      problems.push(...report.violations);
      if (result.exit !== 0) problems.push(`${args.join(' ')} failed: ${told(result)}`);
    }
    const plan = await site.run('plan', '--exit-code');
    if (plan.exit !== 0) problems.push(`something is left to do: ${told(plan)}`);
    if (keptData(site.lab).join() !== data.join()) problems.push('contents changed');
    if (!STRIKE_NODES.has(fault)) problems.push(...(watch?.violations ?? []));
    return problems;
  } finally {
    watch?.stop();
    await copies.removeCopies();
  }
}

export function limitedBy(fault: FaultName | undefined): FaultName | undefined {
  return fault && LIMITS[fault] ? fault : undefined;
}

export function limitsOf(fault: FaultName | undefined, away: number): Partial<Limits> {
  return { ...AFTER_A_FAULT, away, ...(fault && LIMITS[fault]) };
}

/** Before the run is resumed. */
export async function aftermath(site: ClusterSite, ...faults: readonly FaultName[]): Promise<void> {
  for (const fault of new Set(faults)) await helpByHand(site, fault);
  // A drain that has not begun is refused while storage rebuilds, and nothing of ours brings the nodes back.
  const striking = faults.some((fault) => STRIKE_NODES.has(fault));
  await site.lab.clock.sleep(striking ? SETTLED_MS : REPORTED_MS);
}

export function isHangingCopy({ fault, subject }: Occasion): boolean {
  return fault === 'task-hangs' && subject.startsWith('qmigrate');
}

/** A copy may take a day, and no one waits so long: a person stops it. */
export function stopTasksLater(site: ClusterSite): void {
  const { clock } = site.lab;
  clock.schedule(clock.now() + SETTLED_MS, () => clock.hold(helpByHand(site, 'task-hangs')));
}

/** Between two plans a command stops with an error of its own, and no step has failed. */
export function wordsOf(occasion: Occasion, result: CliResult, events: readonly RunEvent[]): string[] {
  // It was a person who stopped it.
  if (isHangingCopy(occasion)) return [];
  const failed = events.some((event) => event.type === 'step-failed');
  const { fault, step } = occasion;
  // What a host takes with it may be a step of any node there, at the same time.
  const place = OF_A_HOST.has(fault) ? { ...step, node: '' } : step;
  if (failed || result.exit === 0) return falseWords(fault, place, result, events);
  const said = result.stderr !== '' || result.stdout.includes('{"type":"problems"');
  return said ? [] : [`exit ${result.exit}, and nothing was said`];
}

function planOf(step: string): number {
  return Number(step.split('/')[0]);
}

export function told({ exit, stdout, stderr }: CliResult): string {
  return `exit ${exit}\n${stdout}${stderr}`;
}

export async function watchedEvents(
  site: ClusterSite,
  args: readonly string[],
  emit: (event: RunEvent) => void,
  limits: Partial<Limits>,
) {
  let plans = 0;
  site.onPrint = (text) => {
    for (const line of text.split('\n').filter((one) => one.startsWith('{"type"'))) {
      const event: RunEvent = JSON.parse(line);
      if (event.type === 'run-started') plans += 1;
      emit('step' in event ? { ...event, step: `${plans}/${event.step}` } : event);
    }
  };
  try {
    return await site.watch([...args, '--json'], limits);
  } finally {
    site.onPrint = () => {};
  }
}
