/** Whether a machine is ready: the few answers that a wait needs, asked for many times over. */
import type { Node } from 'kubernetes-types/core/v1.js';
import type { RunningTalos } from '../clients/talos/client.js';
import { RESOURCES } from '../clients/talos/resources.js';
import { attempt } from './attempt.js';
import type { Known } from './observed.js';
import type { EtcdView, MachineDetails } from './observed-machines.js';
import { parseVolumeStatus } from './volume-status.js';

export interface Readiness extends Pick<MachineDetails, 'stage' | 'ready' | 'unmet'> {
  /** Control planes only. */
  readonly etcd?: Known<Pick<EtcdView, 'memberId' | 'leader' | 'learner'>>;
  /** Volumes that are not there yet, with the phase they are in; unknown while they cannot be read. */
  readonly volumes: Known<readonly string[]>;
}

export async function readReadiness(
  talos: RunningTalos,
  role: 'controlplane' | 'worker',
): Promise<Readiness> {
  const [condition, volumes, etcd] = await Promise.all([
    readCondition(talos),
    attempt(() => waitingVolumes(talos)),
    role === 'controlplane' ? attempt(() => readMember(talos)) : undefined,
  ]);
  return { ...condition, volumes, ...(etcd && { etcd }) };
}

/** EPHEMERAL and those of the user: a machine is running without them, and its pods have no data. */
async function waitingVolumes(talos: RunningTalos): Promise<string[]> {
  const volumes = await talos.list(RESOURCES.volumeStatus);
  return volumes.map(parseVolumeStatus).flatMap(({ id, phase, error }) => {
    if (!/^(EPHEMERAL$|u-)/.test(id) || phase === 'ready') return [];
    return [`volume ${id.replace(/^u-/, '')} is ${phase}${error === undefined ? '' : ` (${error})`}`];
  });
}

/** The stage it is in and what it waits for, in its own words. */
async function readCondition(
  talos: RunningTalos,
): Promise<Pick<MachineDetails, 'stage' | 'ready' | 'unmet'>> {
  const spec = record((await talos.get(RESOURCES.machineStatus, 'machine'))?.spec);
  const status = record(spec.status);
  const unmet = Array.isArray(status.unmetConditions) ? status.unmetConditions.map(record) : [];
  return {
    stage: text(spec.stage),
    ready: status.ready === true,
    unmet: unmet.map((item) => ({ name: text(item.name), reason: text(item.reason) })),
  };
}

async function readMember(talos: RunningTalos): Promise<Pick<EtcdView, 'memberId' | 'leader' | 'learner'>> {
  const { memberId, leader, learner } = await talos.etcd.status();
  return { memberId: memberId.toString(16), leader: leader === 0n ? '' : leader.toString(16), learner };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

export function isNodeReady(node: Node | undefined): boolean {
  return node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;
}
