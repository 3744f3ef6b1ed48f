/** A host that is drained and returns, with a fault in one of its steps, and the runs after it, when the fault is gone. */
import type { FaultName } from '../../src/lab/faults.js';
import type { RunEvent } from '../../src/model/events.js';
import { type Occasion, OccasionRecorder } from '../../src/session/rehearse/occasions.js';
import type { CliResult } from './cli.js';
import type { ClusterSite } from './cluster-site.js';
import type { RunningHerd } from './rolling.js';
import { helpByHand } from './rolling-faults.js';
import { configOf } from './vm-site.js';
import { AFTER_A_FAULT, keptData, type Limits } from './watcher.js';

const TIMEOUT_MS = 1_500;

/** What the fault itself takes away is no violation. */
const LIMITS: Partial<Record<FaultName, Partial<Limits>>> = {
  'vip-lost': { handOverSeconds: Number.POSITIVE_INFINITY },
  'host-down': { away: 3 },
};

export interface HostRun {
  /** Before the run that meets the fault. */
  readonly before: readonly (readonly string[])[];
  readonly run: readonly string[];
  /** After the same command was run again. */
  readonly after: readonly (readonly string[])[];
}

export async function hostOccasions(herd: RunningHerd, { before, run }: HostRun): Promise<Occasion[]> {
  const site = await herd.copy();
  for (const args of before) await site.run(...args);
  const { nodes } = configOf(site.config);
  const recorder = new OccasionRecorder((name) => {
    const node = nodes.find((one) => one.name === name);
    return { vmid: Number(node?.vmid ?? 0), host: node?.host ?? '' };
  });
  recorder.listenTo(site.lab.core.faults);
  const { result } = await watched(site, run, (event) => recorder.emit(event), {});
  if (result.exit !== 0) throw new Error(`the run without a fault failed:\n${result.stdout}${result.stderr}`);
  await herd.removeCopies();
  return recorder.occasions;
}

/** What was wrong with it. */
export async function hostMeetsFault(
  herd: RunningHerd,
  { before, run, after }: HostRun,
  { fault, step, subject, kind }: Occasion,
): Promise<string[]> {
  const site = await herd.copy();
  try {
    const { faults } = site.lab.core;
    for (const args of before) await site.run(...args);
    const data = keptData(site.lab);
    if (fault === 'api-timeout') site.requestTimeoutMs = TIMEOUT_MS;
    const limits = { ...AFTER_A_FAULT, away: 2, ...LIMITS[fault] };
    let armed = false;
    const first = await watched(
      site,
      run,
      (event) => {
        if (armed || event.type !== 'step-started' || event.step !== step.id) return;
        armed = true;
        faults.set({ name: fault, subject, countdown: kind === 'blow' ? 0 : null });
      },
      limits,
    );
    faults.clear(fault);
    await helpByHand(site, fault);
    const problems = [...(armed ? [] : ['the fault did not strike']), ...first.report.violations];
    for (const args of [run.filter((arg) => arg !== '--json'), ...after]) {
      const { result, report } = await site.watch(args, limits);
      problems.push(...report.violations);
      if (result.exit !== 0) problems.push(`${args.join(' ')} failed: ${told(result)}`);
    }
    const plan = await site.run('plan', '--exit-code');
    if (plan.exit !== 0) problems.push(`something is left to do: ${told(plan)}`);
    if (keptData(site.lab).join() !== data.join()) problems.push('contents changed');
    return problems;
  } finally {
    await herd.removeCopies();
  }
}

function told({ exit, stdout, stderr }: CliResult): string {
  return `exit ${exit}\n${stdout}${stderr}`;
}

async function watched(
  site: ClusterSite,
  args: readonly string[],
  emit: (event: RunEvent) => void,
  limits: Partial<Limits>,
) {
  site.onPrint = (text) => {
    for (const line of text.split('\n').filter((one) => one.startsWith('{"type"'))) emit(JSON.parse(line));
  };
  try {
    return await site.watch([...args, '--json'], limits);
  } finally {
    site.onPrint = () => {};
  }
}
