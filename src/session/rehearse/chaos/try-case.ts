/**
 * One fault at one occasion of a recorded run, and what becomes of it: it went on, it stopped and the next run finished it,
 * it needs a person, or something broke that must not.
 */
import { lockPools } from '../../../apply/lock/pools.js';
import type { FaultName } from '../../../lab/faults.js';
import type { Twin } from '../../../lab/twin/start-twin.js';
import { type TwinLimits, watchTwin } from '../../../lab/twin/watch-twin.js';
import { OxherdError } from '../../../model/error.js';
import type { RunEvent } from '../../../model/events.js';
import type { Plan } from '../../../plan/plan.js';
import type { ApplyOptions } from '../../execute/apply-plan.js';
import { afterRun, type PlanRequest, type PreparedPlan } from '../../plan/plan-request.js';
import type { Session } from '../../session.js';
import { openCopy, type TwinOptions, type TwinSession } from '../open-twin.js';
import { limitsOf } from '../rehearse.js';
import { ArmedFault } from './armed-fault.js';
import { CaseWay, type Phase } from './case-way.js';
import type { Judgement } from './chaos-case.js';
import type { KnownRest, KnownRests } from './known-rests.js';
import type { Occasion } from './occasions.js';
import { copyOf, type RecordedCase, type Recording } from './record-cases.js';

/** What the fault itself takes away is no violation. */
const TAKES_NODES: ReadonlySet<FaultName> = new Set(['host-down', 'partition', 'machine-stuck', 'no-quorum']);
const TAKES_API: ReadonlySet<FaultName> = new Set(['vip-lost', 'host-down', 'partition']);

export async function tryCase(
  recording: Recording,
  { occasion, point }: RecordedCase,
  rests: KnownRests,
  options: TwinOptions,
): Promise<Judgement> {
  const [brokenBefore] = point.broken;
  if (brokenBefore !== undefined) return { verdict: 'UNSAFE', why: brokenBefore };
  const { prepared, baseline } = recording;
  const cut = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, cut.signal]) : cut.signal;
  const opened = await openCopy(point.kept, { ...options, signal });
  const { twin, session } = opened;
  // Whoever recorded it held it.
  for (const pool of lockPools(session.config.cluster, true)) twin.lab.proxmox.pve.db.pools.delete(pool);
  const limits = limitsFor(occasion, limitsOf(session.config, prepared.plan), opened);
  const watcher = watchTwin(twin, limits, baseline);
  const fault = new ArmedFault(twin, occasion);
  const way = new CaseWay(rests, twin, fault, scopeOf(occasion.fault), cut);
  const systemDisks = systemDisksOf(twin, prepared.plan);
  try {
    const ended = await endOf(opened, prepared, { occasion, point, way, fault, systemDisks });
    const [broken] = watcher.stop().violations;
    if (broken !== undefined) return { verdict: 'UNSAFE', why: broken };
    if (ended.unconverged !== undefined)
      return { verdict: 'UNSAFE', why: `it does not converge: ${ended.unconverged}` };
    if (options.signal?.aborted !== true) way.learn(ended.said, ended.ending, ended.after);
    return judged(ended);
  } catch (error) {
    return { verdict: 'UNSAFE', why: OxherdError.from(error).message };
  } finally {
    watcher.stop();
    await opened.close();
  }
}

interface Course extends Pick<RecordedCase, 'occasion' | 'point'> {
  readonly way: CaseWay;
  readonly fault: ArmedFault;
  readonly systemDisks: ReadonlySet<string>;
}

interface Ended extends KnownRest {
  /** How the first run left all, where the next one was needed. */
  readonly after?: string;
  /** What is left to do even after a person has helped. */
  readonly unconverged?: string;
}

function judged({ said, ending: { second }, strikes }: Ended): Judgement {
  if (second !== undefined)
    return {
      verdict: 'needs a person',
      why: said === undefined ? second : `${said}; the next run: ${second}`,
    };
  if (said !== undefined) return { verdict: 'stopped safely', why: said };
  return { verdict: strikes ? 'continued' : 'did not strike' };
}

async function endOf(
  opened: TwinSession,
  prepared: PreparedPlan,
  { occasion, point, way, fault, systemDisks }: Course,
): Promise<Ended> {
  const { twin, session } = opened;
  const { request } = prepared;
  const said = await runWithFault(opened, prepared, { occasion, way, fault }, copyOf(point.behind));
  const strikes = fault.strikes > 0;
  const rest = way.rest();
  if (rest) return { ...rest, strikes: strikes || rest.strikes };
  fault.disarm();
  const first = { ...(said !== undefined && { said }), strikes };
  const next = said === undefined ? afterRun(request) : request;
  if (next === undefined || (said === undefined && way.isOver())) return { ...first, ending: {} };
  const after = way.afterFirst();
  const known = way.known(after);
  if (known) return { ...first, ending: known };
  const second = await finish(session, next, way, 'second');
  const met = way.rest();
  if (met) return { ...first, ending: met.ending, after };
  if (second === undefined) return { ...first, ending: {}, after };
  help(twin, systemDisks);
  await twin.lab.clock.sleep(HELPED_MS);
  // Of a machine that was off the first run after that knows only that it must start; the next one does the rest.
  const unconverged =
    (await finish(session, request, way, 'helped')) && (await finish(session, request, way, 'helped'));
  return { ...first, ending: { second }, after, ...(unconverged !== undefined && { unconverged }) };
}

/** What a fault is judged by; those that take nodes or the API themselves are judged by less. */
function scopeOf(fault: FaultName): string {
  return `${TAKES_NODES.has(fault) ? 'nodes' : ''}${TAKES_API.has(fault) ? 'api' : ''}`;
}

function limitsFor({ fault, subject }: Occasion, limits: TwinLimits, opened: TwinSession): TwinLimits {
  const { closedGates, ...rest } = limits;
  return {
    ...rest,
    // oxherd.yaml puts so many of them on one host.
    ...(TAKES_NODES.has(fault) && carriesQuorum(opened, subject) && { quorum: false }),
    // A node that the fault takes is not begun by the run.
    ...(closedGates && !TAKES_NODES.has(fault) && { closedGates }),
    ...(TAKES_NODES.has(fault) && {
      workers: Number.POSITIVE_INFINITY,
      controlPlanes: [],
      budgets: false,
    }),
    ...(TAKES_API.has(fault) && { endpoints: [] }),
  };
}

/** Without the control planes that are on this host, or will be, the others are no majority. */
function carriesQuorum({ twin, session }: TwinSession, host: string): boolean {
  const planes = session.config.nodes.filter(({ role }) => role === 'controlplane');
  const there = planes.filter(
    (node) => node.host === host || twin.lab.proxmox.pve.db.vms.get(String(node.vmid))?.host === host,
  );
  return (planes.length - there.length) * 2 <= planes.length;
}

/** What the run said, where it did not end well. */
async function runWithFault(
  { session }: TwinSession,
  prepared: PreparedPlan,
  { occasion: { step }, way, fault }: Pick<Course, 'occasion' | 'way' | 'fault'>,
  behind: NonNullable<ApplyOptions['behind']>,
): Promise<string | undefined> {
  let said: string | undefined;
  const followed = way.follow(
    'first',
    { plan: prepared.plan, ...behind },
    () => fault.armed && said === undefined,
  );
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'step-failed') said ??= event.error.message;
    followed(event);
    if (!fault.armed && event.type === 'step-started' && event.step === step.id) fault.arm();
  };
  const result = await ending(() => session.apply(prepared, { onEvent, behind }).result);
  return result === undefined ? undefined : (said ?? result);
}

/** The next run of the same command, and nothing left after it. */
async function finish(
  session: Session,
  request: PlanRequest,
  way: CaseWay,
  phase: Phase,
): Promise<string | undefined> {
  let ran = false;
  const failed = await ending(async () => {
    const prepared = await session.plan(request, { settled: true });
    if (prepared.plan.steps.length === 0 && prepared.plan.problems.length === 0) return { outcome: 'done' };
    ran = true;
    const behind = { done: new Set<string>(), memory: new Map<string, string>() };
    const onEvent = way.follow(phase, { plan: prepared.plan, ...behind }, () => true);
    return session.apply(prepared, { onEvent, behind }).result;
  });
  const met = way.rest();
  if (met) return met.ending.second;
  if (failed !== undefined || (ran && request.kind !== 'converge')) return failed;
  if (!ran || way.isOver()) return noted(way);
  const { plan } = await session.plan(afterRun(request) ?? request, { settled: true });
  return plan.steps.length === 0 ? noted(way) : `${plan.steps[0]?.title} is left to do`;
}

function noted(way: CaseWay): undefined {
  way.noteOver();
}

async function ending(run: () => Promise<{ readonly outcome: string }>): Promise<string | undefined> {
  try {
    const { outcome } = await run();
    return outcome === 'done' ? undefined : `the run ${outcome}`;
  } catch (error) {
    return OxherdError.from(error).message;
  }
}

/** System disks that the plan replaces, as they were before the fault: nothing on them is kept. */
function systemDisksOf({ lab }: Twin, { steps }: Plan): Set<string> {
  return new Set(
    steps.flatMap((step) => {
      if (step.kind === 'delete-old-system-disk') return [step.volume];
      if (step.kind !== 'replace-os-disk') return [];
      const line = lab.proxmox.pve.db.vms.get(String(step.vmid))?.config[step.drive.slot];
      return line === undefined ? [] : [volidOf(line)];
    }),
  );
}

/** What a person does: ends a task that hangs, resets a machine that hangs, disarms an alarm, removes an old system disk. */
function help({ room, lab }: Twin, systemDisks: ReadonlySet<string>): void {
  const { db } = lab.proxmox.pve;
  for (const task of db.tasks.values())
    if (task.exitstatus === undefined && task.event === undefined)
      db.tasks.put(task.upid, {
        ...task,
        exitstatus: 'interrupted by signal',
        endtime: Math.floor(lab.clock.now() / 1_000),
      });
  for (const { id } of [...room.db.etcd.values()]) room.etcd.setAlarms(id, []);
  // Without its slot it has lost its identity: no run may remove it, its owner can.
  for (const vm of [...db.vms.values()]) {
    const isOld = ([key, line]: [string, string]) =>
      /^unused\d+$/.test(key) && systemDisks.has(volidOf(line));
    // As the message says: the task that took the lock is gone, and what it was to make has no disk yet.
    if (vm.config.lock === 'create' && !Object.keys(vm.config).some((key) => /^scsi\d+$/.test(key))) {
      db.vms.delete(String(vm.vmid));
      continue;
    }
    const left = Object.entries(vm.config).filter((entry) => entry[0] !== 'lock' && !isOld(entry));
    if (left.length < Object.keys(vm.config).length)
      db.vms.put(String(vm.vmid), { ...vm, config: Object.fromEntries(left) });
  }
  for (const machine of [...room.machines()])
    if (machine.record.stuck !== undefined) room.reset(machine.vmid);
  room.settle();
}

/** Of a drive's line. */
function volidOf(line: string): string {
  return line.split(',', 1)[0] ?? line;
}

const HELPED_MS = 120_000;
