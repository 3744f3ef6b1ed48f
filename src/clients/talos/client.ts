import { anyUnpack } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { Clock } from '../../model/clock.js';
import type { WriteGate } from '../../model/write-gate.js';
import { type ApplyOptions, type ApplyOutcome, applyConfiguration } from './apply-configuration.js';
import { Calls, DEADLINES, type Deadlines } from './calls.js';
import { Connection, type ConnectionOptions, type Line } from './connection.js';
import { makeTalosError } from './errors.js';
import { type TalosEtcd, talosEtcd } from './etcd.js';
import { ContainerDriver } from './gen/common/common_pb.js';
import {
  MachineService,
  MachineStatusEvent_MachineStage,
  MachineStatusEventSchema,
  RebootRequest_Mode,
  ResetRequest_WipeMode,
} from './gen/machine/machine_pb.js';
import { TimeService } from './gen/time/time_pb.js';
import { readKubeconfigArchive } from './kubeconfig-archive.js';
import { type TalosState, talosState } from './state.js';
import { type ImagePurpose, pullImage, upgrade } from './upgrade.js';

/** The Talos API of one machine. */
export interface TalosClient extends TalosState {
  readonly address: string;
  version(): Promise<TalosVersion>;
  services(): Promise<TalosService[]>;
  applyConfiguration(config: string, options: ApplyOptions): Promise<ApplyOutcome>;
  /** Asks its time server, which lies behind its gateway as a rule; fails where that does not answer. */
  askTimeServer(): Promise<void>;
  bootstrap(options?: { recoverEtcd?: boolean; skipHashCheck?: boolean }): Promise<void>;
  kubeconfig(): Promise<string>;
  /** The actor id ties the machine's events to this call. */
  reboot(options?: { mode?: 'default' | 'powercycle' | 'force' }): Promise<{ actorId: string }>;
  shutdown(options?: { force?: boolean }): Promise<{ actorId: string }>;
  reset(options: ResetOptions): Promise<{ actorId: string }>;
  pullImage(image: string, purpose: ImagePurpose): Promise<void>;
  upgrade(image: string, log?: (line: string) => void): Promise<{ rebooting: boolean }>;
  readonly etcd: TalosEtcd;
  /** The last lines of a service's log, for the report of a failure. */
  logs(service: string, lines?: number): Promise<string>;
  dmesg(): Promise<string>;
  /** How the machine's stage changes, as it tells it, until the signal. */
  stages(signal?: AbortSignal): AsyncIterable<{ stage: string; ready: boolean; unmet: readonly string[] }>;
  restartService(service: string): Promise<void>;
  /** Releases the connection; it opens again when the client is used again. */
  close(): void;
}

/** What takes the machine, or its etcd member, out of service. */
type DownCall = 'reboot' | 'shutdown' | 'reset' | 'upgrade';
type MemberDownCall = 'leave' | 'removeById';

/** The calls after which the machine and its etcd member still run. */
export interface RunningTalos extends Omit<TalosClient, DownCall | 'etcd'> {
  readonly etcd: Omit<TalosEtcd, MemberDownCall>;
}

/** What `connectTalos` opens. Steps get the client alone. */
export interface TalosConnection extends TalosClient {
  /** Over the same connection; every call that may change something passes the gate. */
  behind(gate: WriteGate): TalosClient;
}

interface TalosVersion {
  readonly tag: string;
  readonly arch: string;
  readonly platform: string;
}

interface TalosService {
  readonly id: string;
  readonly state: string;
  readonly health: 'healthy' | 'unhealthy' | 'unknown';
  readonly message: string;
}

interface ResetOptions {
  readonly graceful: boolean;
  readonly reboot: boolean;
  /** Labels of partitions of the system disk; none: the whole disk. */
  readonly partitions?: readonly string[];
  readonly userDisks?: readonly string[];
  readonly wipe?: 'all' | 'system-disk' | 'user-disks';
}

interface TalosClientOptions extends ConnectionOptions {
  /** For pauses between repeated reads; deadlines go by the wall. */
  readonly clock: Clock;
  readonly deadlines?: Partial<Deadlines>;
}

const REBOOTS = {
  default: RebootRequest_Mode.DEFAULT,
  powercycle: RebootRequest_Mode.POWERCYCLE,
  force: RebootRequest_Mode.FORCE,
} as const;

const WIPES = {
  all: ResetRequest_WipeMode.ALL,
  'system-disk': ResetRequest_WipeMode.SYSTEM_DISK,
  'user-disks': ResetRequest_WipeMode.USER_DISKS,
} as const;

/** Opens nothing yet: the connection is made by the first call. */
export function connectTalos(options: TalosClientOptions): TalosConnection {
  const connection = new Connection(options);
  return {
    ...clientOver(connection, options),
    behind: (gate) => clientOver(connection.behind(gate), options),
  };
}

function clientOver(connection: Line, options: TalosClientOptions): TalosClient {
  const calls = new Calls(connection, options.clock, { ...DEADLINES, ...options.deadlines });
  const machine: MachineCalls = () => connection.client(MachineService);
  return {
    address: options.address,
    etcd: talosEtcd(calls),
    ...talosState(calls),
    ...systemCalls(calls, machine),
    ...powerCalls(calls, machine),
    ...logCalls(calls, machine),
    applyConfiguration: (config, applyOptions) => applyConfiguration(calls, machine, config, applyOptions),
    async askTimeServer() {
      await calls.once((o) => connection.client(TimeService).time({}, o));
    },
    async bootstrap({ recoverEtcd = false, skipHashCheck = false } = {}) {
      await calls.once((o) => machine().bootstrap({ recoverEtcd, recoverSkipHashCheck: skipHashCheck }, o));
    },
    async kubeconfig() {
      const pieces: Uint8Array[] = [];
      const stream = calls.stream((o) => machine().kubeconfig({}, o), { timeoutMs: calls.deadlines.quick });
      for await (const piece of stream) pieces.push(piece.bytes);
      try {
        return readKubeconfigArchive(Buffer.concat(pieces));
      } catch (error) {
        throw makeTalosError('talos.failed', 'the kubeconfig answer cannot be read', connection.where, error);
      }
    },
    async restartService(service) {
      await calls.once((o) => machine().serviceRestart({ id: service }, o));
    },
    close: () => connection.drop(),
  };
}

type MachineCalls = () => Client<typeof MachineService>;

/** Which Talos runs there, what it runs, and another one in its place. */
function systemCalls(
  calls: Calls,
  machine: MachineCalls,
): Pick<TalosClient, 'version' | 'services' | 'pullImage' | 'upgrade'> {
  async function version(): Promise<TalosVersion> {
    const answer = (await calls.read((o) => machine().version({}, o))).messages[0];
    return {
      tag: answer?.version?.tag ?? '',
      arch: answer?.version?.arch ?? '',
      platform: answer?.platform?.name ?? '',
    };
  }

  return {
    version,
    async services() {
      const answer = await calls.read((o) => machine().serviceList({}, o));
      return answer.messages
        .flatMap((message) => message.services)
        .map(({ id, state, health }) => ({
          id,
          state,
          health: !health || health.unknown ? 'unknown' : health.healthy ? 'healthy' : 'unhealthy',
          message: health?.lastMessage ?? '',
        }));
    },
    async pullImage(image, purpose) {
      await pullImage(calls, (await version()).tag, image, purpose);
    },
    async upgrade(image, log = () => {}) {
      return upgrade(calls, (await version()).tag, image, log);
    },
  };
}

/** Calls after which the machine is off or starts again. */
function powerCalls(calls: Calls, machine: MachineCalls): Pick<TalosClient, 'reboot' | 'shutdown' | 'reset'> {
  return {
    async reboot({ mode = 'default' } = {}) {
      const answer = await calls.once((o) => machine().reboot({ mode: REBOOTS[mode] }, o));
      return { actorId: answer.messages[0]?.actorId ?? '' };
    },
    async shutdown({ force = false } = {}) {
      const answer = await calls.once((o) => machine().shutdown({ force }, o));
      return { actorId: answer.messages[0]?.actorId ?? '' };
    },
    async reset({ graceful, reboot, partitions = [], userDisks = [], wipe = 'all' }) {
      const request = {
        graceful,
        reboot,
        systemPartitionsToWipe: partitions.map((label) => ({ label, wipe: true })),
        userDisksToWipe: [...userDisks],
        mode: WIPES[wipe],
      };
      const answer = await calls.once((o) => machine().reset(request, o));
      return { actorId: answer.messages[0]?.actorId ?? '' };
    },
  };
}

/** What a machine says of itself. */
function logCalls(calls: Calls, machine: MachineCalls): Pick<TalosClient, 'logs' | 'dmesg' | 'stages'> {
  async function text(open: Parameters<typeof calls.stream<{ bytes: Uint8Array }>>[0]): Promise<string> {
    const pieces: Uint8Array[] = [];
    for await (const piece of calls.stream(open, { timeoutMs: calls.deadlines.quick }))
      pieces.push(piece.bytes);
    return Buffer.concat(pieces).toString('utf8');
  }

  return {
    logs: (service, lines = 50) =>
      text((o) =>
        machine().logs(
          { namespace: 'system', id: service, driver: ContainerDriver.CONTAINERD, tailLines: lines },
          o,
        ),
      ),
    dmesg: () => text((o) => machine().dmesg({}, o)),
    async *stages(signal) {
      const stream = calls.stream((o) => machine().events({}, o), signal ? { signal } : {});
      for await (const { data } of stream) {
        const event = data && anyUnpack(data, MachineStatusEventSchema);
        if (!event) continue;
        const { ready = false, unmetConditions = [] } = event.status ?? {};
        yield {
          stage: (MachineStatusEvent_MachineStage[event.stage] ?? '').toLowerCase().replaceAll('_', ' '),
          ready,
          unmet: unmetConditions.map(({ name, reason }) => `${name}: ${reason}`),
        };
      }
    },
  };
}
