import { parseDuration } from '../../../model/duration.js';
import { parseVersion } from '../../../model/version.js';
import type { Machine, Room } from '../machine/machine.js';
import { largestTransfer, reachesOutside } from '../network/network-path.js';
import { TIMING } from '../timing.js';

/**
 * What runs on a machine, and what it waits for. `settleServices` is called after everything that happens anywhere in the lab:
 * it looks at the machines that this may concern and starts what can start now; what takes time goes through the timeline.
 */
const SERVICE_STEP = 'talos/service';
const KUBELET_BACK_STEP = 'talos/kubelet-back';
const CONTROL_PLANE_STEP = 'talos/control-plane';
const PROMOTE_STEP = 'talos/promote';

interface ServiceStep {
  readonly vmid: number;
  readonly boot: number;
  readonly service: string;
}

/** Run from the first moment, config or not. */
export const ALWAYS = ['apid', 'auditd', 'containerd', 'machined', 'syslogd', 'udevd'];

/** Declares what the timeline's events do; before the timeline resumes. */
export function defineServiceSteps(room: Room): void {
  const { timeline } = room.core;
  timeline.on<ServiceStep>(SERVICE_STEP, ({ vmid, boot, service }) => {
    const machine = current(room, vmid, boot);
    if (machine?.service(service)?.state !== 'Starting') return;
    if (service === 'etcd') startEtcdProcess(machine);
    else machine.setService(service, 'Running', 'Health check successful');
    machine.log(`service[${service}](Running): Health check successful`);
    room.settle();
  });
  timeline.on<{ vmid: number; boot: number }>(KUBELET_BACK_STEP, ({ vmid, boot }) => {
    current(room, vmid, boot)?.changed();
  });
  timeline.on<{ vmid: number; boot: number }>(CONTROL_PLANE_STEP, ({ vmid, boot }) => {
    const machine = current(room, vmid, boot);
    if (machine?.record.controlPlane !== 'starting') return;
    const why = machine.facts?.failing['kube-apiserver'];
    if (why !== undefined) machine.log(`[kube-apiserver] Error: ${why}`);
    machine.update({ controlPlane: etcdHealthy(machine) ? 'running' : 'off' });
    room.settle();
  });
  timeline.on<{ vmid: number; boot: number }>(PROMOTE_STEP, ({ vmid, boot }) => {
    const machine = current(room, vmid, boot);
    const data = machine?.etcdData;
    if (!machine || !data || !etcdHealthy(machine)) return;
    if (etcdLags(machine)) {
      room.core.timeline.after(TIMING.etcdCaughtUp, PROMOTE_STEP, { vmid, boot });
      return;
    }
    room.etcd.promote(data.clusterId, data.memberId);
    room.settle();
  });
}

/** The machine, if it is still in the boot that the event was meant for. */
function current(room: Room, vmid: number, boot: number): Machine | undefined {
  const machine = room.machine(vmid);
  return machine?.record.boot === boot ? machine : undefined;
}

export function settleServices(machines: readonly Machine[]): void {
  for (const machine of machines) {
    if (machine.record.stage === 'running' && machine.configured) settleMachine(machine);
  }
}

function settleMachine(machine: Machine): void {
  if (!machine.ephemeral) {
    waits(machine, 'cri', 'Waiting for volume /var to be mounted');
    waits(machine, 'kubelet', 'Waiting for volume /var to be mounted');
    if (machine.isControlPlane) waits(machine, 'etcd', 'Waiting for volume /var to be mounted');
    return;
  }
  if (!startsCri(machine)) return;
  if (!clockIsSet(machine)) {
    waits(machine, 'kubelet', 'Waiting for time sync');
    if (machine.isControlPlane) waits(machine, 'etcd', 'Waiting for time sync');
    return;
  }
  const why = machine.facts?.failing.kubelet;
  const kubelet = why === undefined ? startsKubelet(machine) : failsKubelet(machine, why);
  if (!machine.isControlPlane) return;
  settleEtcd(machine);
  // Without a kubelet the pods that run go on; none is started.
  if (kubelet || machine.record.controlPlane === 'running') settleControlPlane(machine);
}

/** Seen on a real 1.14.1 machine: cri restarts by itself for other logins and parts of its config, etcd keeps running. */
function startsCri(machine: Machine): boolean {
  const { criSpec: old, system } = machine.record;
  const spec = machine.facts?.criSpec ?? '';
  const version = parseVersion(system?.version ?? '');
  const follows = version !== undefined && (version.major > 1 || version.minor >= 14);
  if (old !== undefined && old !== spec && follows && machine.service('cri')?.state === 'Running')
    machine.setService('cri', 'Waiting', 'Service restarted', false);
  if (old !== spec) machine.update({ criSpec: spec });
  return starts(machine, 'cri', TIMING.cri);
}

/**
 * Another image or other arguments: Talos stops it and starts it again. That is too short for its node and pods to notice; only
 * whoever watches the service does.
 */
function startsKubelet(machine: Machine): boolean {
  const { kubeletSpec: old, boot } = machine.record;
  const spec = machine.facts?.kubeletSpec ?? '';
  if (old !== undefined && old !== spec && machine.service('kubelet')?.state === 'Running') {
    const { clock, timeline } = machine.room.core;
    machine.update({ kubeletBackAt: clock.now() + TIMING.kubeletRestart });
    timeline.after(TIMING.kubeletRestart, KUBELET_BACK_STEP, { vmid: machine.vmid, boot });
  }
  if (old !== spec) machine.update({ kubeletSpec: spec });
  return starts(machine, 'kubelet', TIMING.kubelet);
}

export function kubeletRestarts({ room, record }: Machine): boolean {
  return room.core.clock.now() < (record.kubeletBackAt ?? 0);
}

/** The program ends at once, and Talos starts it again and again. */
function failsKubelet(machine: Machine, why: string): false {
  if (machine.service('kubelet')?.state !== 'Waiting')
    machine.log(`[kubelet] Error: failed to parse kubelet flag: ${why}`);
  const reason = 'task "kubelet" failed: exit code 1';
  waits(
    machine,
    'kubelet',
    `Error running Containerd(kubelet), going to restart until it succeeds: ${reason}`,
  );
  return false;
}

/** Set once after a boot from a time server; it then stays set, whatever happens to the network. */
function clockIsSet(machine: Machine): boolean {
  if (machine.record.timeSynced === true) return true;
  if (!reachesOutside(machine)) return false;
  machine.update({ timeSynced: true });
  return true;
}

export function timeSynced(machine: Machine): boolean {
  const { room, vmid, hostname, record } = machine;
  if (room.core.faults.holds('time-skew', String(vmid), hostname)) return false;
  // Without a config there is no time to wait for.
  return record.timeSynced === true || reachesOutside(machine);
}

const JUMP_MS = 3_600_000;

const BEHIND_SECONDS = 600;

/** How far a machine's clock is ahead of the others; negative: it is behind. */
export function clockOffset({ room, vmid, hostname }: Machine): number {
  const { faults } = room.core;
  if (faults.holds('clock-jump', String(vmid), hostname)) return JUMP_MS;
  for (const { name, subject } of faults.list()) {
    if (name !== 'clock-behind') continue;
    // `clock-behind=cp-1/90s`, `clock-behind=90s` for all machines, `clock-behind=cp-1` for the usual ten minutes.
    const [, named = '', time] = /^(.*?)(?:\/?(\d+[smhd]))?$/.exec(subject) ?? [];
    if (named !== '' && named !== String(vmid) && named !== hostname) continue;
    return -1_000 * (parseDuration(time ?? '') ?? BEHIND_SECONDS);
  }
  return 0;
}

/** A member that does not catch up: told so, or one whose larger messages are lost. */
export function etcdLags(machine: Machine): boolean {
  const { room, vmid, hostname } = machine;
  return (
    room.core.faults.holds('etcd-slow', String(vmid), hostname) ||
    diskIsSlow(machine) ||
    largestTransfer(machine) !== undefined
  );
}

/** Compaction does not keep up with a slow disk: the database grows to its quota. */
export function diskIsSlow({ room, vmid, hostname }: Machine): boolean {
  return room.core.faults.holds('disk-slow', String(vmid), hostname);
}

function settleEtcd(machine: Machine): void {
  const state = machine.service('etcd')?.state;
  if (state === 'Running' || state === 'Starting') {
    followEtcd(machine);
    return;
  }
  // A member that left stays out until the next boot.
  if (state === 'Finished') return;
  const { etcdOwner } = machine.facts ?? {};
  if (etcdOwner === undefined) {
    waits(machine, 'etcd', 'etcd is not configured');
  } else if (machine.etcdData || joinTarget(machine)) {
    starts(machine, 'etcd', TIMING.etcd);
  } else {
    machine.setService('etcd', 'Preparing', 'Running pre state', false);
  }
}

/** A non-empty data directory starts as that member; an empty one joins a living cluster of the same CA. */
function startEtcdProcess(machine: Machine): void {
  if (!machine.etcdData) {
    const clusterId = joinTarget(machine);
    if (!clusterId) {
      machine.setService('etcd', 'Preparing', 'Running pre state', false);
      return;
    }
    const memberId = machine.room.etcd.addLearner(clusterId, machine.hostname, machine.ip ?? '');
    machine.writeEtcdData({ clusterId, memberId });
    const { boot } = machine.record;
    machine.room.core.timeline.after(TIMING.etcdCaughtUp, PROMOTE_STEP, { vmid: machine.vmid, boot });
  }
  machine.setService('etcd', 'Running', 'Health check successful', true);
  followEtcd(machine);
  resumeLearner(machine);
}

/** A learner that was cut off before it was promoted goes on catching up. */
function resumeLearner(machine: Machine): void {
  const data = machine.etcdData;
  const member =
    data && machine.room.etcd.get(data.clusterId)?.members.find((one) => one.id === data.memberId);
  if (!member?.learner) return;
  const { boot } = machine.record;
  machine.room.core.timeline.after(TIMING.etcdCaughtUp, PROMOTE_STEP, { vmid: machine.vmid, boot });
}

function followEtcd(machine: Machine): void {
  if (machine.service('etcd')?.state !== 'Running') return;
  const data = machine.etcdData;
  const cluster = data && machine.room.etcd.get(data.clusterId);
  const member = cluster?.members.find((one) => one.id === data?.memberId);
  if (!data || !cluster || !member) {
    // It was removed while it was away, or its cluster is another: the process starts, is refused, and starts again.
    machine.setService('etcd', 'Running', 'member has been permanently removed from the cluster', false);
    return;
  }
  machine.room.etcd.rename(data.clusterId, data.memberId, machine.hostname, machine.ip ?? '');
  const leader = machine.room.etcd.leader(data.clusterId);
  if (leader) machine.setService('etcd', 'Running', 'Health check successful', true);
  else machine.setService('etcd', 'Running', 'context deadline exceeded', false);
}

/** The etcd cluster that an empty member may join: run by other control planes of the same CA, with quorum. */
function joinTarget(machine: Machine): string | undefined {
  const { room, facts } = machine;
  for (const other of room.machines()) {
    if (other.vmid === machine.vmid || other.facts?.etcdOwner !== facts?.etcdOwner || !other.isControlPlane)
      continue;
    const data = other.etcdData;
    if (data && etcdHealthy(other)) return data.clusterId;
  }
  return undefined;
}

export function etcdHealthy(machine: Machine): boolean {
  const data = machine.etcdData;
  const service = machine.service('etcd');
  if (!data || service?.state !== 'Running') return false;
  const cluster = machine.room.etcd.get(data.clusterId);
  const isMember = cluster?.members.some((member) => member.id === data.memberId) ?? false;
  return isMember && machine.room.etcd.leader(data.clusterId) !== undefined;
}

function settleControlPlane(machine: Machine): void {
  const { controlPlane, boot } = machine.record;
  if (!etcdHealthy(machine)) {
    // The API server answers nothing without etcd; kubelet restarts it until it does.
    if (controlPlane !== 'off') machine.update({ controlPlane: 'off' });
    return;
  }
  const pod = machine.facts?.apiServerPod ?? '';
  const restarts = controlPlane === 'running' && machine.record.apiServerPod !== pod;
  if (controlPlane !== 'off' && !restarts) {
    // Another config while it starts: what starts is that one.
    if (machine.record.apiServerPod !== pod) machine.update({ apiServerPod: pod });
    return;
  }
  machine.update({ controlPlane: 'starting', apiServerPod: pod });
  const delay = restarts ? TIMING.staticPod : TIMING.controlPlane;
  machine.room.core.timeline.after(delay, CONTROL_PLANE_STEP, { vmid: machine.vmid, boot });
}

function waits(machine: Machine, service: string, reason: string): void {
  machine.setService(service, 'Waiting', reason, false);
}

/** `true`: it runs. Else it has been told to start. */
function starts(machine: Machine, service: string, delay: number): boolean {
  const state = machine.service(service)?.state;
  if (state === 'Running') return true;
  if (state !== 'Starting') {
    machine.setService(service, 'Starting', 'Service started', false);
    const { boot } = machine.record;
    machine.room.core.timeline.after(delay, SERVICE_STEP, {
      vmid: machine.vmid,
      boot,
      service,
    } satisfies ServiceStep);
  }
  return false;
}
