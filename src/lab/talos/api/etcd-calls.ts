import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import {
  EtcdMemberAlarm_AlarmType,
  type MachineService,
} from '../../../clients/talos/gen/machine/machine_pb.js';
import { snapshotOf } from '../etcd/etcd-snapshot.js';
import type { Machine } from '../machine/machine.js';
import type { EtcdClusterRecord, EtcdData } from '../machine/machine-record.js';
import { diskIsSlow, etcdHealthy, etcdLags } from '../services/services.js';
import { type Endpoint, fail, requireControlPlane } from './caller.js';

type Target = (context: HandlerContext) => Endpoint;
type ControlPlane = (context: HandlerContext, api: string) => Machine;
type EtcdCalls = Partial<ServiceImpl<typeof MachineService>>;

const ETCD_VERSION = '3.6.0';
const CHUNK = 32 * 1024;
/** What etcd lets a database grow to. */
const QUOTA = 2 * 1024 ** 3;
/** How far a member stays behind that does not catch up. */
const SLOW_BY = 500;

export function etcdCalls(target: Target): EtcdCalls {
  const machineFor: ControlPlane = (context, api) => {
    const { machine } = target(context);
    requireControlPlane(machine, api);
    return machine;
  };
  return { ...memberCalls(machineFor), ...databaseCalls(machineFor), ...snapshotCalls(target, machineFor) };
}

/** Who is a member, who leads, who leaves. */
function memberCalls(machineFor: ControlPlane): EtcdCalls {
  return {
    etcdMemberList(_request, context) {
      const { cluster } = living(machineFor(context, 'member list'));
      const members = cluster.members.map((member) => ({
        id: BigInt(member.id),
        hostname: member.name,
        peerUrls: [`https://${member.ip}:2380`],
        // A member that never ran has announced no client address.
        clientUrls: member.learner ? [] : [`https://${member.ip}:2379`],
        isLearner: member.learner,
      }));
      return { messages: [{ legacyMembers: members.map((member) => member.hostname), members }] };
    },

    etcdForfeitLeadership(_request, context) {
      const machine = machineFor(context, 'etcd forfeit leadership');
      const { data, cluster } = living(machine);
      if (machine.room.etcd.leader(cluster.id) !== data.memberId) return { messages: [{}] };
      const next = machine.room.etcd.forfeit(cluster.id);
      const name = machine.room.etcd.get(cluster.id)?.members.find((member) => member.id === next)?.name;
      machine.room.settle();
      return { messages: [name === undefined ? {} : { member: name }] };
    },

    etcdLeaveCluster(_request, context) {
      const machine = machineFor(context, 'etcd leave');
      const { data, cluster } = living(machine);
      if (cluster.members.length === 1) {
        fail(
          Code.Unknown,
          'failed to leave cluster: etcdserver: re-configuration failed due to not enough started members',
        );
      }
      machine.room.etcd.remove(cluster.id, data.memberId);
      // Leaving stops etcd and empties its directory; it stays stopped until the next boot.
      machine.writeEtcdData(undefined);
      machine.setService('etcd', 'Finished', 'Service finished successfully', false);
      machine.room.settle();
      return { messages: [{}] };
    },

    etcdRemoveMemberByID({ memberId }, context) {
      const machine = machineFor(context, 'etcd remove member');
      const { cluster } = living(machine);
      const id = String(memberId);
      if (!cluster.members.some((member) => member.id === id))
        fail(Code.NotFound, 'etcdserver: member not found');
      machine.room.etcd.remove(cluster.id, id);
      machine.room.settle();
      return { messages: [{}] };
    },
  };
}

/** How the database of a machine's own member is. */
function databaseCalls(machineFor: ControlPlane): EtcdCalls {
  return {
    etcdStatus(_request, context) {
      const machine = machineFor(context, 'etcd status');
      const { data, cluster } = local(machine);
      const leader = machine.room.etcd.leader(cluster.id);
      const size = diskIsSlow(machine) ? QUOTA : 1024 * 1024 + cluster.revision * 256;
      const raised = alarms(machine, cluster).map(
        ({ memberId, alarm }) => `memberID:${memberId} alarm:${EtcdMemberAlarm_AlarmType[alarm]} `,
      );
      const slow = etcdLags(machine);
      const index = BigInt(slow ? Math.max(0, cluster.index - SLOW_BY) : cluster.index);
      return {
        messages: [
          {
            memberStatus: {
              memberId: BigInt(data.memberId),
              leader: BigInt(leader ?? 0),
              isLearner: cluster.members.some((member) => member.id === data.memberId && member.learner),
              protocolVersion: ETCD_VERSION,
              storageVersion: ETCD_VERSION,
              dbSize: BigInt(size),
              dbSizeInUse: BigInt(Math.floor(size / 2)),
              raftIndex: index,
              raftAppliedIndex: index,
              raftTerm: BigInt(cluster.term),
              errors: [...(leader ? [] : ['etcdserver: no leader']), ...raised],
            },
          },
        ],
      };
    },

    etcdAlarmList(_request, context) {
      const machine = machineFor(context, 'etcd alarm list');
      const { cluster } = living(machine);
      return { messages: [{ memberAlarms: alarms(machine, cluster) }] };
    },

    etcdAlarmDisarm(_request, context) {
      const machine = machineFor(context, 'etcd alarm disarm');
      const { cluster } = living(machine);
      machine.room.etcd.setAlarms(cluster.id, []);
      return { messages: [{ memberAlarms: cluster.alarms.map(shownAlarm) }] };
    },

    etcdDefragment(_request, context) {
      local(machineFor(context, 'etcd defragment'));
      return { messages: [{}] };
    },
  };
}

function snapshotCalls(target: Target, machineFor: ControlPlane): EtcdCalls {
  return {
    async *etcdSnapshot(_request, context) {
      const machine = machineFor(context, 'etcd snapshot');
      const { cluster } = local(machine);
      const database = snapshotOf(machine.room.core.store, cluster);
      machine.room.etcd.noteSnapshot(cluster.id, machine.room.core.clock.now());
      for (let start = 0; start < database.length; start += CHUNK) {
        yield { bytes: database.subarray(start, start + CHUNK) };
      }
    },

    async etcdRecover(stream, context) {
      const endpoint = target(context);
      if (!endpoint.machine.ephemeral)
        fail(Code.FailedPrecondition, 'etcd service is not ready for recovery yet');
      requireControlPlane(endpoint.machine, 'etcd recover');
      const pieces: Uint8Array[] = [];
      for await (const { bytes } of stream) pieces.push(bytes);
      endpoint.received = Buffer.concat(pieces);
      return { messages: [{}] };
    },
  };
}

interface LocalEtcd {
  readonly data: EtcdData;
  readonly cluster: EtcdClusterRecord;
}

/** This machine's own process, with or without a leader. */
function local(machine: Machine): LocalEtcd {
  const data = machine.etcdData;
  const cluster = data && machine.room.etcd.get(data.clusterId);
  if (!data || !cluster || machine.service('etcd')?.state !== 'Running') {
    fail(Code.Unknown, 'failed to create etcd client: error building etcd client: context deadline exceeded');
  }
  return { data, cluster };
}

/** The cluster, through any of its members that is healthy. */
function living(machine: Machine): LocalEtcd {
  const own = machine.etcdData;
  if (etcdHealthy(machine)) return local(machine);
  for (const other of machine.room.machines()) {
    if (other.facts?.etcdOwner !== machine.facts?.etcdOwner || !etcdHealthy(other)) continue;
    const { cluster, data } = local(other);
    return { cluster, data: own?.clusterId === cluster.id ? own : data };
  }
  return fail(Code.Unavailable, 'etcdserver: no leader');
}

type RaisedAlarm = EtcdClusterRecord['alarms'][number];

/** Those that were raised stay until they are disarmed; a member on a slow disk raises its own again. */
function alarms({ room }: Machine, cluster: EtcdClusterRecord) {
  const full = [...room.machines()].flatMap((other): RaisedAlarm[] => {
    const data = other.etcdData;
    const known = cluster.alarms.some(({ memberId }) => memberId === data?.memberId);
    const raises = data?.clusterId === cluster.id && diskIsSlow(other) && !known;
    return raises ? [{ memberId: data.memberId, alarm: 'NOSPACE' }] : [];
  });
  const raised = [...cluster.alarms, ...full];
  if (full.length > 0) room.etcd.setAlarms(cluster.id, raised);
  return raised.map(shownAlarm);
}

function shownAlarm({ memberId, alarm }: RaisedAlarm) {
  return { memberId: BigInt(memberId), alarm: EtcdMemberAlarm_AlarmType[alarm] };
}
