/** A rolling change that meets a fault in its n-th step, and the run after it, when the fault is gone. */
import type { FaultName } from '../../src/lab/faults.js';
import type { RunEvent } from '../../src/model/events.js';
import { type Occasion, OccasionRecorder } from '../../src/session/rehearse/chaos/occasions.js';
import type { CliResult } from './cli.js';
import type { ClusterSite } from './cluster-site.js';
import { falseWords } from './fault-words.js';
import type { Herd } from './herd.js';
import type { RunningHerd } from './rolling.js';
import { configOf } from './vm-site.js';
import { AFTER_A_FAULT, type Limits } from './watcher.js';

export interface FaultOutcome {
  readonly exit: number;
  readonly problems: readonly string[];
}

/** Short: nobody answers, and the test waits by the wall. */
const TIMEOUT_MS = 1_500;

/** What the fault itself takes away is no violation. */
const LIMITS: Partial<Record<FaultName, Partial<Limits>>> = {
  'vip-lost': { handOverSeconds: Number.POSITIVE_INFINITY },
  // A control plane and the worker beside it.
  'host-down': { away: 2 },
};

/** Every occasion for a fault, from one run without any. */
export async function occasionsOf(herd: RunningHerd, change: Herd): Promise<Occasion[]> {
  const site = await herd.copy();
  site.config = herd.with(change);
  const { nodes } = configOf(site.config);
  const recorder = new OccasionRecorder((name) => {
    const node = nodes.find((one) => one.name === name);
    return { vmid: Number(node?.vmid ?? 0), host: node?.host ?? '' };
  });
  recorder.listenTo(site.lab.core.faults);
  const { result } = await watchedRun(site, (event) => recorder.emit(event));
  if (result.exit !== 0) throw new Error(`the run without a fault failed:\n${result.stdout}`);
  await herd.removeCopies();
  return recorder.occasions;
}

export async function meetsFault(
  herd: RunningHerd,
  change: Herd,
  { fault, step, subject, kind }: Occasion,
  general: Partial<Limits> = {},
): Promise<FaultOutcome> {
  const site = await herd.copy();
  try {
    const { faults } = site.lab.core;
    if (fault === 'api-timeout') site.requestTimeoutMs = TIMEOUT_MS;
    site.config = herd.with(change);
    const events: RunEvent[] = [];
    let armed = false;
    const limits = { ...AFTER_A_FAULT, ...general, ...LIMITS[fault] };
    const first = await watchedRun(
      site,
      (event) => {
        events.push(event);
        if (armed || event.type !== 'step-started' || event.step !== step.id) return;
        armed = true;
        faults.set({ name: fault, subject, countdown: kind === 'blow' ? 0 : null });
      },
      limits,
    );
    const met = armed && (kind === 'state' || !faults.list().some(({ name }) => name === fault));
    faults.clear(fault);
    const problems = [
      ...(met ? [] : ['the fault did not strike']),
      ...first.report.violations,
      ...falseWords(fault, step, first.result, events),
    ];
    await helpByHand(site, fault);
    const second = await site.watch(['apply', '--yes'], limits);
    problems.push(...second.report.violations);
    if (second.result.exit !== 0) problems.push(`the second run failed: ${told(second.result)}`);
    const plan = await site.run('plan', '--exit-code');
    if (plan.exit !== 0) problems.push(`something is left to do: ${told(plan)}`);
    return { exit: first.result.exit, problems };
  } finally {
    await herd.removeCopies();
  }
}

function told({ exit, stdout, stderr }: CliResult): string {
  return `exit ${exit}\n${stdout}${stderr}`;
}

/** `apply --json`, with each event given on as it is printed. */
async function watchedRun(site: ClusterSite, emit: (event: RunEvent) => void, limits: Partial<Limits> = {}) {
  site.onPrint = (text) => {
    for (const line of text.split('\n').filter((one) => one.startsWith('{"type"'))) emit(JSON.parse(line));
  };
  try {
    return await site.watch(['apply', '--yes', '--json'], limits);
  } finally {
    site.onPrint = () => {};
  }
}

/** What a person does about a task that never ends, and about a machine that hangs. */
export async function helpByHand(site: ClusterSite, fault: FaultName): Promise<void> {
  if (fault === 'task-hangs') {
    await site.byHand(async (hand) => {
      for (const host of site.lab.proxmox.pve.db.hosts.values())
        for (const task of await hand.activeTasks(host.name)) await hand.stopTask(task);
    });
  }
  // `talosctl etcd alarm disarm`: etcd keeps an alarm until a person has looked.
  if (fault === 'disk-slow') for (const { id } of site.etcd) site.room.etcd.setAlarms(id, []);
  for (const machine of [...site.room.machines()])
    if (machine.record.stuck !== undefined) site.room.reset(machine.vmid);
  // An address that nobody may hold any more is taken when somebody looks again.
  site.room.settle();
}
