/** A VM goes to another host, with the local volumes it owns. */
import { isProxmoxError, type ProxmoxError } from '../../../clients/proxmox/errors.js';
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
    await askHa(step, context);
    checkArrived(step, before, await arrival(step, context, { byHa: true }));
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
 * Returns how often in a row HA was seen to do nothing. It drops a request that comes while it has not noticed the end of
 * the move before (PVE/HA/Manager.pm, "service already on target node"): then it is asked once more.
 */
async function followHa(step: StepOf<'migrate-vm'>, context: StepContext, idle: number): Promise<number> {
  const state = (await context.client.haStates()).services[`vm:${step.vmid}`];
  if (state === 'error') throw givenUp(step.vmid, `VM ${step.vmid} did not get to ${step.host}`);
  if (state !== 'started' && state !== 'stopped') return 0;
  if (idle + 1 < IDLE_LOOKS) return idle + 1;
  await askHa(step, context);
  return 0;
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

/** Proxmox says why in the task's log alone, and leaves VM and disks where they were. */
function notMoved({ vmid, from }: StepOf<'migrate-vm'>, error: ProxmoxError): StepError {
  const lines = error.task?.logTail ?? [];
  const why = lines.find((line) => /ERROR: migration aborted/.test(line))?.replace(/^.*?\): /, '');
  return new StepError('apply.not-moved', `VM ${vmid} stays on ${from}: ${why ?? error.message}`, {
    where: error.where ?? '',
    advice: `when that is solved, run apply again; or write host: ${from}, and apply starts the node where it was`,
    cause: error,
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

async function arrival(
  step: StepOf<'migrate-vm'>,
  context: StepContext,
  { byHa = false } = {},
): Promise<VmState> {
  const deadline = context.clock.elapsed() + ARRIVAL_TIMEOUT_MS;
  let idle = 0;
  for (let poll = 1; ; poll += 1) {
    if ((await whereIs(context, step.vmid)) === step.host) {
      const state = await findVm(context, step.host, step.vmid);
      if (state) return state;
    }
    if (byHa && poll % HA_POLLS === 0) idle = await followHa(step, context, idle);
    if (context.clock.elapsed() >= deadline) {
      throw new StepError('apply.not-arrived', `VM ${step.vmid} did not get to ${step.host}`, {
        advice: `see the tasks of VM ${step.vmid} in Proxmox, then run apply again`,
      });
    }
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
