/** A rolling change that meets a fault after its n-th step, and the run after it, when the fault is gone. */
import type { FaultName } from '../../src/lab/faults.js';
import type { ClusterSite } from './cluster-site.js';
import type { Herd } from './herd.js';
import type { RunningHerd } from './rolling.js';

/** States rather than blows: they last until they are switched off. */
const LASTING: Partial<Record<FaultName, string>> = {
  'host-down': 'pve2',
  'no-quorum': '',
  'drain-held': '',
  'etcd-slow': '',
};

export interface FaultOutcome {
  readonly exit: number;
  /** The fault found no occasion any more. */
  readonly idle: boolean;
  readonly problems: readonly string[];
}

/** Counts what a run prints when a step has ended: `[3/20] ✓ …`. */
const ENDED = /^\[\d+\/\d+\] [✓✗]/gm;

export async function stepsOf(herd: RunningHerd, change: Herd): Promise<number> {
  const { site } = await herd.rolls(change);
  const [run] = JSON.parse((await site.run('runs', 'list', '--json')).stdout);
  await herd.removeCopies();
  return Number(run?.steps ?? 0);
}

export async function meetsFault(
  herd: RunningHerd,
  change: Herd,
  name: FaultName,
  afterStep: number,
): Promise<FaultOutcome> {
  const site = await herd.copy();
  const { faults } = site.lab.core;
  const subject = LASTING[name];
  const strike = () =>
    faults.set({ name, subject: subject ?? '', countdown: subject === undefined ? 0 : null });
  if (name === 'api-timeout') site.requestTimeoutMs = 2_000;
  let ended = 0;
  let struck = false;
  site.onPrint = (text) => {
    ended += text.match(ENDED)?.length ?? 0;
    if (struck || ended < afterStep) return;
    struck = true;
    strike();
  };
  site.config = herd.with(change);
  const first = await site.watch(['apply', '--yes']);
  site.onPrint = () => {};
  const idle = faults.list().some((fault) => fault.name === name && fault.countdown !== null);
  faults.clear(name);
  const problems = [...first.report.violations, ...untrue(first.result.exit, first.result.stdout)];
  await helpByHand(site, name);
  // A machine that was reset by hand is away for a while; the run must not take another one meanwhile.
  const second = await site.watch(['apply', '--yes']);
  problems.push(...second.report.violations);
  if (second.result.exit !== 0) problems.push(`the second run failed:\n${second.result.stdout}`);
  const plan = await site.run('plan');
  if (!plan.stdout.startsWith('Nothing to do')) problems.push(`something is left to do:\n${plan.stdout}`);
  await herd.removeCopies();
  return { exit: first.result.exit, idle, problems };
}

/** A run that stops says that it did, what failed, and how to go on. */
function untrue(exit: number, stdout: string): string[] {
  if (exit === 0) return /^Done\./m.test(stdout) ? [] : [`exit 0 without an end:\n${stdout}`];
  const told = /^Failed\./m.test(stdout) && /✗/.test(stdout) && /go on with: oxherd apply/.test(stdout);
  return told ? [] : [`exit ${exit} without saying what failed and how to go on:\n${stdout}`];
}

/** What a person does about a task that never ends, and about a machine that hangs. */
async function helpByHand(site: ClusterSite, name: FaultName): Promise<void> {
  if (name === 'task-hangs') {
    await site.byHand(async (hand) => {
      for (const host of site.lab.proxmox.pve.db.hosts.values())
        for (const task of await hand.activeTasks(host.name)) await hand.stopTask(task);
    });
  }
  for (const machine of [...site.room.machines()])
    if (machine.record.stuck !== undefined) site.room.reset(machine.vmid);
}
