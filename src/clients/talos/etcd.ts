import type { Calls } from './calls.js';
import { EtcdMemberAlarm_AlarmType, MachineService } from './gen/machine/machine_pb.js';

/** etcd of one control plane, through its Talos API. Member ids are 64-bit. */
export interface TalosEtcd {
  members(options?: { local?: boolean }): Promise<EtcdMemberInfo[]>;
  status(): Promise<EtcdStatusInfo>;
  alarms(): Promise<{ memberId: bigint; alarm: 'NOSPACE' | 'CORRUPT' | 'NONE' }[]>;
  disarmAlarms(): Promise<void>;
  defragment(): Promise<void>;
  /** A bbolt database followed by its SHA-256, in pieces. */
  snapshot(): AsyncIterable<Uint8Array>;
  /** Uploads a snapshot for a bootstrap with `recoverEtcd`. */
  recover(snapshot: AsyncIterable<Uint8Array>): Promise<void>;
  forfeitLeadership(): Promise<{ newLeader: string }>;
  /** Leaves and empties the data directory. */
  leave(): Promise<void>;
  /** Removes a member that is gone; its data directory is not touched. */
  removeById(memberId: bigint): Promise<void>;
}

export interface EtcdMemberInfo {
  readonly id: bigint;
  readonly hostname: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly learner: boolean;
}

export interface EtcdStatusInfo {
  readonly memberId: bigint;
  /** 0n: there is no leader. */
  readonly leader: bigint;
  readonly learner: boolean;
  readonly dbSize: number;
  readonly dbSizeInUse: number;
  readonly raftIndex: bigint;
  readonly raftTerm: bigint;
  readonly raftAppliedIndex: bigint;
  readonly protocolVersion: string;
  readonly storageVersion: string;
  readonly errors: readonly string[];
}

export function talosEtcd(calls: Calls): TalosEtcd {
  const machine = () => calls.connection.client(MachineService);
  return {
    async members({ local = false } = {}) {
      const answer = await calls.read((o) => machine().etcdMemberList({ queryLocal: local }, o));
      return answer.messages
        .flatMap((message) => message.members)
        .map((m) => ({
          id: m.id,
          hostname: m.hostname,
          peerUrls: m.peerUrls,
          clientUrls: m.clientUrls,
          learner: m.isLearner,
        }));
    },
    async status() {
      const answer = await calls.read((o) => machine().etcdStatus({}, o));
      const status = answer.messages[0]?.memberStatus;
      return {
        memberId: status?.memberId ?? 0n,
        leader: status?.leader ?? 0n,
        learner: status?.isLearner ?? false,
        dbSize: Number(status?.dbSize ?? 0n),
        dbSizeInUse: Number(status?.dbSizeInUse ?? 0n),
        raftIndex: status?.raftIndex ?? 0n,
        raftTerm: status?.raftTerm ?? 0n,
        raftAppliedIndex: status?.raftAppliedIndex ?? 0n,
        protocolVersion: status?.protocolVersion ?? '',
        storageVersion: status?.storageVersion ?? '',
        errors: status?.errors ?? [],
      };
    },
    async alarms() {
      const answer = await calls.read((o) => machine().etcdAlarmList({}, o));
      return answer.messages
        .flatMap((message) => message.memberAlarms)
        .map((a) => ({ memberId: a.memberId, alarm: alarmName(a.alarm) }));
    },
    async disarmAlarms() {
      await calls.once((o) => machine().etcdAlarmDisarm({}, o));
    },
    async defragment() {
      await calls.once((o) => machine().etcdDefragment({}, o), calls.deadlines.long);
    },
    async *snapshot() {
      const stream = calls.stream((o) => machine().etcdSnapshot({}, o), { timeoutMs: calls.deadlines.long });
      for await (const piece of stream) yield piece.bytes;
    },
    async recover(snapshot) {
      async function* pieces() {
        for await (const bytes of snapshot) yield { bytes };
      }
      await calls.once((o) => machine().etcdRecover(pieces(), o), calls.deadlines.long);
    },
    async forfeitLeadership() {
      const answer = await calls.once((o) => machine().etcdForfeitLeadership({}, o));
      return { newLeader: answer.messages[0]?.member ?? '' };
    },
    async leave() {
      await calls.once((o) => machine().etcdLeaveCluster({}, o), calls.deadlines.long);
    },
    async removeById(memberId) {
      await calls.once((o) => machine().etcdRemoveMemberByID({ memberId }, o));
    },
  };
}

function alarmName(alarm: EtcdMemberAlarm_AlarmType): 'NOSPACE' | 'CORRUPT' | 'NONE' {
  if (alarm === EtcdMemberAlarm_AlarmType.NOSPACE) return 'NOSPACE';
  return alarm === EtcdMemberAlarm_AlarmType.CORRUPT ? 'CORRUPT' : 'NONE';
}
