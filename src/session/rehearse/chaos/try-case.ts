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
import type { ApplyOptions } from '../../execute/apply-plan.js';
import type { PlanRequest, PreparedPlan } from '../../plan/plan-request.js';
import type { Session } from '../../session.js';
import { openCopy, type TwinOptions, type TwinSession } from '../open-twin.js';
import { limitsOf } from '../rehearse.js';
import { ArmedFault } from './armed-fault.js';
import type { Judgement } from './chaos-case.js';
import { KnownWay } from './known-way.js';
import { copyOf, REPEATS, type RecordedCase, type Recording } from './record-cases.js';

/** What the fault itself takes away is no violation. */
const TAKES_NODES: ReadonlySet<FaultName> = new Set(['host-down', 'partition', 'machine-stuck', 'no-quorum']);
const TAKES_API: ReadonlySet<FaultName> = new Set(['vip-lost', 'host-down', 'partition']);
export async function tryCase(
  recording: Recording,
  { occasion, point }: RecordedCase,
  options: TwinOptions,
): Promise<Judgement> {
  const { prepared, baseline } = recording;
  const cut = new AbortController();
  const signal = options.signal ? AbortSignal.any([options.signal, cut.signal]) : cut.signal;
  const opened = await openCopy(point.kept, { ...options, signal });
  const { twin, session } = opened;
  // Whoever recorded it held it.
  for (const pool of lockPools(session.config.cluster, true)) twin.lab.proxmox.pve.db.pools.delete(pool);
  const limits = limitsFor(occasion.fault, limitsOf(session.config, prepared.plan));
  const watcher = watchTwin(twin, limits, baseline);
  const way = new KnownWay(recording, twin, cut);
  const fault = new ArmedFault(twin, occasion);
  try {
    const ended = await endOf(opened, prepared, { occasion, point, way, fault });
    const [broken] = [...point.broken, ...watcher.stop().violations];
    if (broken !== undefined) return { verdict: 'UNSAFE', why: broken };
    return ended.verdict === 'continued' && !fault.struck ? { verdict: 'did not strike' } : ended;
  } catch (error) {
    return { verdict: 'UNSAFE', why: OxherdError.from(error).message };
  } finally {
    watcher.stop();
    await opened.close();
  }
}

interface Course extends Pick<RecordedCase, 'occasion' | 'point'> {
  readonly way: KnownWay;
  readonly fault: ArmedFault;
}

async function endOf(
  opened: TwinSession,
  prepared: PreparedPlan,
  { occasion, point, way, fault }: Course,
): Promise<Judgement> {
  const { twin, session } = opened;
  const { request } = prepared;
  const first = await runWithFault(opened, prepared, { occasion, way, fault }, copyOf(point.behind));
  if (way.met) return { verdict: 'continued' };
  fault.disarm();
  if (first === undefined && (REPEATS.has(request.kind) || way.isOver())) return { verdict: 'continued' };
  const second = await finish(session, request, way);
  if (second === undefined)
    return first === undefined ? { verdict: 'continued' } : { verdict: 'stopped safely', why: first };
  const helped = await afterHelp(twin, session, request, way);
  if (helped !== undefined) return { verdict: 'UNSAFE', why: `it does not converge: ${helped}` };
  return { verdict: 'needs a person', why: first ?? second };
}

function limitsFor(fault: FaultName, limits: TwinLimits): TwinLimits {
  const { closedGates, ...rest } = limits;
  return {
    ...rest,
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

/** What the run said, where it did not end well. */
async function runWithFault(
  { session }: TwinSession,
  prepared: PreparedPlan,
  { occasion: { step }, way, fault }: Omit<Course, 'point'>,
  behind: NonNullable<ApplyOptions['behind']>,
): Promise<string | undefined> {
  let said: string | undefined;
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'step-failed') said ??= event.error.message;
    if (fault.armed) way.look(event, prepared.plan, behind.done);
    if (!fault.armed && event.type === 'step-started' && event.step === step.id) fault.arm();
  };
  const result = await ending(() => session.apply(prepared, { onEvent, behind }).result);
  return result === undefined ? undefined : (said ?? result);
}

/** The next run of the same command, and nothing left after it. */
async function finish(session: Session, request: PlanRequest, way: KnownWay): Promise<string | undefined> {
  let ran = false;
  const failed = await ending(async () => {
    const prepared = await session.plan(request, { settled: true });
    if (prepared.plan.steps.length === 0 && prepared.plan.problems.length === 0) return { outcome: 'done' };
    ran = true;
    const behind = { done: new Set<string>(), memory: new Map<string, string>() };
    const onEvent = (event: RunEvent): void => way.look(event, prepared.plan, behind.done);
    return session.apply(prepared, { onEvent, behind }).result;
  });
  if (way.met) return undefined;
  if (failed !== undefined || !ran || request.kind !== 'converge' || way.isOver()) return failed;
  const { plan } = await session.plan(request, { settled: true });
  return plan.steps.length === 0 ? undefined : `${plan.steps[0]?.title} is left to do`;
}

async function ending(run: () => Promise<{ readonly outcome: string }>): Promise<string | undefined> {
  try {
    const { outcome } = await run();
    return outcome === 'done' ? undefined : `the run ${outcome}`;
  } catch (error) {
    return OxherdError.from(error).message;
  }
}

/** What a person does: ends a task that hangs, resets a machine that hangs, disarms an alarm. */
async function afterHelp(
  twin: Twin,
  session: Session,
  request: PlanRequest,
  way: KnownWay,
): Promise<string | undefined> {
  const { room, lab } = twin;
  for (const task of lab.proxmox.pve.db.tasks.values())
    if (task.exitstatus === undefined && task.event === undefined)
      lab.proxmox.pve.db.tasks.put(task.upid, {
        ...task,
        exitstatus: 'interrupted by signal',
        endtime: Math.floor(lab.clock.now() / 1_000),
      });
  for (const { id } of [...room.db.etcd.values()]) room.etcd.setAlarms(id, []);
  for (const machine of [...room.machines()])
    if (machine.record.stuck !== undefined) room.reset(machine.vmid);
  room.settle();
  await lab.clock.sleep(HELPED_MS);
  return finish(session, request, way);
}

const HELPED_MS = 120_000;
