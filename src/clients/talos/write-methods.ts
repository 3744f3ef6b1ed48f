/** Which calls change a machine. A method that the generated API gains does not compile until it is decided here. */
import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { NotSent, throughGate, type WriteGate } from '../../model/write-gate.js';
import { State } from './gen/cosi/resource/state_pb.js';
import { ImageService } from './gen/machine/image_pb.js';
import { LifecycleService } from './gen/machine/lifecycle_pb.js';
import { MachineService } from './gen/machine/machine_pb.js';

type Decided<S extends DescService> = Readonly<Record<keyof S['method'], 'read' | 'write'>>;

const machine: Decided<typeof MachineService> = {
  applyConfiguration: 'write',
  bootstrap: 'write',
  containers: 'read',
  cPUInfo: 'read',
  diskStats: 'read',
  diskUsage: 'read',
  dmesg: 'read',
  etcdAlarmDisarm: 'write',
  etcdAlarmList: 'read',
  etcdDefragment: 'write',
  etcdForfeitLeadership: 'write',
  etcdLeaveCluster: 'write',
  etcdMemberList: 'read',
  etcdRecover: 'write',
  etcdRemoveMemberByID: 'write',
  etcdSnapshot: 'read',
  etcdStatus: 'read',
  events: 'read',
  generateClientConfiguration: 'read',
  hostname: 'read',
  imageList: 'read',
  imagePull: 'write',
  kubeconfig: 'read',
  list: 'read',
  loadAvg: 'read',
  logs: 'read',
  logsContainers: 'read',
  memory: 'read',
  metaDelete: 'write',
  metaWrite: 'write',
  mounts: 'read',
  netstat: 'read',
  networkDeviceStats: 'read',
  processes: 'read',
  read: 'read',
  reboot: 'write',
  reset: 'write',
  restart: 'write',
  rollback: 'write',
  serviceList: 'read',
  serviceRestart: 'write',
  serviceStart: 'write',
  serviceStop: 'write',
  shutdown: 'write',
  stats: 'read',
  systemStat: 'read',
  upgrade: 'write',
  version: 'read',
};
const image: Decided<typeof ImageService> = { list: 'read', pull: 'write', remove: 'write' };
const lifecycle: Decided<typeof LifecycleService> = { install: 'write', upgrade: 'write' };
const state: Decided<typeof State> = {
  create: 'write',
  destroy: 'write',
  get: 'read',
  list: 'read',
  teardown: 'write',
  teardownAndDestroy: 'write',
  update: 'write',
  watch: 'read',
};

const READS = new Set(
  (
    [
      [MachineService, machine],
      [ImageService, image],
      [LifecycleService, lifecycle],
      [State, state],
    ] as const
  ).flatMap(([service, decided]) =>
    Object.entries(decided).flatMap(([method, kind]) =>
      kind === 'read' ? [`${service.typeName}/${method}`] : [],
    ),
  ),
);

/** Whatever is not known to be a read counts as a write. */
export function isWrite(service: string, method: string): boolean {
  return !READS.has(`${service}/${method}`);
}

const UNANSWERED = new Set([
  Code.Unavailable,
  Code.DeadlineExceeded,
  Code.Canceled,
  Code.Aborted,
  Code.Internal,
]);

/** `connect` makes the connection first, so that the last question is asked right before the call is sent. */
export function gateWrites(gate: WriteGate, connect: () => Promise<unknown>): Interceptor {
  return (next) => async (request) => {
    if (!isWrite(request.service.typeName, request.method.localName)) return next(request);
    await throughGate(gate, async (mayLeave) => {
      await connect();
      if (mayLeave?.() === false) throw new NotSent();
    });
    try {
      return await next(request);
    } catch (error) {
      // What the machine refuses has another code.
      if (UNANSWERED.has(ConnectError.from(error).code)) gate.unanswered?.();
      throw error;
    }
  };
}
