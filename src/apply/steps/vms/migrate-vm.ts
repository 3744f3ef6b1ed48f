/** A VM goes to another host, with the local volumes it owns. */
import { isProxmoxError, type ProxmoxError } from '../../../clients/proxmox/errors.js';
import { parseUpid } from '../../../clients/proxmox/task.js';
import { ownerOfVolume } from '../../../formats/proxmox/drive-slots.js';
import { type VmState, vmConfigOf } from '../../../formats/proxmox/vm-config.js';
import type { StepOf } from '../../../plan/steps.js';
import { permitDown } from '../../guard/guard.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { givenUp } from '../../support/power.js';
import { findVm, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

/** Disks are copied through the network; a terabyte takes hours. */
const COPY_TIMEOUT_MS = 24 * 3_600_000;
/** HA answers with a task of its own that only asks for the move. */
const ARRIVAL_TIMEOUT_MS = 30 * 60_000;
const POLL_MS = 500;
/** The manager looks at each VM every ten seconds. */
const HA_POLLS = 20;
const IDLE_LOOKS = 3;
/** A request that HA drops is repeated; one that it takes and fails at is in the tasks, if the token may read them. */
const HA_REQUESTS = 3;

/** The facts about a move by HA, collected while oxherd waits for it. */
interface HaMove {
  /** How often in a row HA was seen to do nothing. */
  idle: number;
  requests: number;
  /** HA is moving the VM at this moment. */
  moving: boolean;
  /** Tasks of migrations that had ended before HA was asked. */
  readonly earlier: ReadonlySet<string>;
}

export const migrateVm: Executor<'migrate-vm'> = async (step, context) => {
  const { vmid, from, host } = step;
  const there = await whereIs(context, vmid);
  if (there === host) {
    await requireVm(context, host, vmid);
    return ALREADY;
  }
  if (there !== from) {
    throw new StepError(
      'apply.vm-elsewhere',
      `VM ${vmid} is on ${there ?? 'no host'}, the plan found it on ${from}`,
      {
        advice: 'it was moved since the plan was created; run plan again',
      },
    );
  }
  const before = await requireVm(context, from, vmid);
  await checkMayGo(step, context, before);
  if (await isHaManaged(context, vmid)) {
    const earlier = new Set((await endedMoves(step, context)).map(({ upid }) => upid));
    await askHa(step, context);
    const ha: HaMove = { idle: 0, requests: 1, moving: false, earlier };
    checkArrived(step, before, await arrival(step, context, ha));
    return DONE;
  }
  const map = Object.entries(step.storages).map(([name, other]) => `${name}:${other}`);
  const { client } = context;
  const move = { target: host, ...(map.length > 0 && { targetStorage: map.join(',') }) };
  const task = step.online
    ? await client.migrateOnline(from, vmid, move)
    : await client.down.migrateVm(await permitDown(context, { ...step, host: from }), from, vmid, move);
  const result = await client
    .waitTask(task, {
      timeoutMs: COPY_TIMEOUT_MS,
      signal: context.signal,
      onLog: (line) => context.progress(line),
    })
    .catch((error: unknown) => {
      throw isProxmoxError(error, 'proxmox.task-failed') ? notMoved(step, error) : error;
    });
  checkArrived(step, before, await arrival(step, context));
  return { ...DONE, warnings: result.warnings };
};

async function isHaManaged({ client }: StepContext, vmid: number): Promise<boolean> {
  const vm = (await client.vms()).find((one) => one.vmid === vmid);
  return vm?.haState !== undefined && vm.haState !== 'ignored';
}

/**
 * HA drops a request that comes while it has not noticed the end of the move before (PVE/HA/Manager.pm, "service already on
 * target node"): then it is asked once more. A migration that fails it only logs ("not moved (migration error)"): the
 * service is `started` on its host again, and the task of type `qmigrate` has the reason.
 */
async function followHa(step: StepOf<'migrate-vm'>, context: StepContext, ha: HaMove): Promise<void> {
  const state = (await context.client.haStates()).services[`vm:${step.vmid}`];
  if (state === 'error') throw givenUp(step.vmid, `VM ${step.vmid} did not get to ${step.host}`);
  ha.moving = state === 'migrate' || state === 'relocate';
  ha.idle = state === 'started' || state === 'stopped' ? ha.idle + 1 : 0;
  if (ha.idle < IDLE_LOOKS) return;
  ha.idle = 0;
  const failed = (await endedMoves(step, context)).find(
    ({ upid, status }) => !ha.earlier.has(upid) && !/^(OK|WARNINGS)/.test(status),
  );
  if (failed) throw await failedMove(step, context, failed);
  if (ha.requests >= HA_REQUESTS)
    throw notArrived(step, `HA was asked ${ha.requests} times and did not move it`);
  ha.requests += 1;
  await askHa(step, context);
}

/** Without Sys.Audit on the host none of HA's own tasks are listed. */
async function endedMoves({ vmid, from }: StepOf<'migrate-vm'>, { client }: StepContext) {
  const tasks = await client.endedTasks(from, 'qmigrate').catch(() => []);
  return tasks.filter(({ id }) => Number.parseInt(id, 10) === vmid);
}

async function failedMove(
  step: StepOf<'migrate-vm'>,
  { client }: StepContext,
  { upid, status }: { readonly upid: string; readonly status: string },
): Promise<StepError> {
  const log = await client.taskLog(parseUpid(upid), { limit: 500 }).catch(() => []);
  return stays(step, abortReason(log) ?? status, { where: `task ${upid}` });
}

/** HA moves what it looks after itself, and takes along what a rule binds to it. */
async function askHa({ vmid, host }: StepOf<'migrate-vm'>, { client, progress }: StepContext): Promise<void> {
  const { blockedBy } = await client.migrateHaResource(`vm:${vmid}`, host);
  if (blockedBy.length > 0)
    throw new StepError(
      'apply.ha-blocked',
      `HA keeps VM ${vmid} from ${host}: ${blockedBy.join(', ')} is there`,
      {
        advice: 'move that one first, or change the HA rule, then run it again',
      },
    );
  progress(`HA was asked to move VM ${vmid} to ${host}`);
}

/** Proxmox says why only in the task's log, and leaves VM and disks where they were. */
function notMoved(step: StepOf<'migrate-vm'>, error: ProxmoxError): StepError {
  const why = abortReason(error.task?.logTail ?? []) ?? error.message;
  return stays(step, why, { where: error.where ?? '', cause: error });
}

function abortReason(lines: readonly string[]): string | undefined {
  return lines.find((line) => /ERROR: migration aborted/.test(line))?.replace(/^.*?\): /, '');
}

function stays(
  { vmid, from }: StepOf<'migrate-vm'>,
  why: string,
  details: { readonly where: string; readonly cause?: unknown },
): StepError {
  return new StepError('apply.not-moved', `VM ${vmid} stays on ${from}: ${why}`, {
    ...details,
    advice: `when that is solved, run apply again; or write host: ${from}, and apply starts the node where it was`,
  });
}

function notArrived({ vmid, host }: StepOf<'migrate-vm'>, why: string): StepError {
  return new StepError('apply.not-arrived', `VM ${vmid} did not get to ${host}: ${why}`, {
    advice: `see the tasks of VM ${vmid} in Proxmox for the reason, solve it, then run apply again`,
  });
}

async function whereIs({ client }: StepContext, vmid: number): Promise<string | undefined> {
  return (await client.vms()).find((vm) => vm.vmid === vmid)?.node;
}

/** Proxmox would find out too, some of it only after it has copied the first disk. */
async function checkMayGo(step: StepOf<'migrate-vm'>, context: StepContext, now: VmState): Promise<void> {
  const { status } = await context.client.vmStatus(step.from, step.vmid);
  if (status !== 'stopped' && !step.online) {
    throw new StepError(
      'apply.vm-running',
      `VM ${step.vmid} is ${status}; it was to be stopped before it moves`,
      {
        advice: 'it was started meanwhile; run apply again',
      },
    );
  }
  if (step.online) return;
  const left = vmConfigOf(now).drives.filter((drive) => ownerOfVolume(drive.file) !== step.vmid);
  const { storages } = await context.client.resources();
  const isShared = (volid: string) =>
    storages.some((one) => one.node === step.from && volid.startsWith(`${one.storage}:`) && one.shared);
  const held = left.filter((drive) => !isShared(drive.file));
  if (held.length === 0) return;
  throw new StepError(
    'apply.foreign-drive',
    `VM ${step.vmid} still has ${held.map((drive) => `${drive.file} (${drive.slot})`).join(', ')}, which it does not own and which would stay behind`,
    {
      advice:
        'a CSI volume is detached when its pod has left the node (kubectl get volumeattachments); then run apply again',
    },
  );
}

async function arrival(step: StepOf<'migrate-vm'>, context: StepContext, ha?: HaMove): Promise<VmState> {
  const begun = context.clock.elapsed();
  let deadline = begun + ARRIVAL_TIMEOUT_MS;
  for (let poll = 1; ; poll += 1) {
    if ((await whereIs(context, step.vmid)) === step.host) {
      const state = await findVm(context, step.host, step.vmid);
      if (state) return state;
    }
    if (ha && poll % HA_POLLS === 0) await followHa(step, context, ha);
    const now = context.clock.elapsed();
    // A migration that is under way copies memory and disks for as long as that takes.
    if (ha?.moving) deadline = Math.min(now + ARRIVAL_TIMEOUT_MS, begun + COPY_TIMEOUT_MS);
    if (now >= deadline)
      throw notArrived(step, `it was waited for ${Math.round((now - begun) / 60_000)} minutes`);
    await context.clock.sleep(POLL_MS, context.signal);
  }
}

/** Every disk by its identity: volumes may have got other names on the way. */
function checkArrived({ vmid, host }: StepOf<'migrate-vm'>, before: VmState, after: VmState): void {
  const there = new Set(vmConfigOf(after).drives.map((drive) => drive.wwn));
  const missing = vmConfigOf(before).drives.filter((drive) => !there.has(drive.wwn));
  if (missing.length > 0)
    throw verifyFailed(`VM ${vmid} came to ${host} without ${missing.map((drive) => drive.slot).join(', ')}`);
}
