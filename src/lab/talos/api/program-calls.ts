import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { ContainerdNamespace } from '../../../clients/talos/gen/common/common_pb.js';
import type { MachineService } from '../../../clients/talos/gen/machine/machine_pb.js';
import { ConnectRecord_State, NetstatRequest_Filter } from '../../../clients/talos/gen/machine/system_pb.js';
import { hashParts } from '../../../formats/text/hash.js';
import type { Machine } from '../machine/machine.js';
import { containersOf, imagesOf, memoryOf, programsOf } from '../machine/programs.js';
import { type Endpoint, fail } from './caller.js';

type Target = (context: HandlerContext) => Endpoint;

const namespaceOf = (name: string) => (name === 'k8s.io' || name === 'cri' ? 'k8s.io' : 'system');

/** As containerd lists them. */
export function shownImages(machine: Machine, namespace: ContainerdNamespace | undefined) {
  const kept = namespace === ContainerdNamespace.NS_SYSTEM ? 'system' : 'k8s.io';
  return imagesOf(machine, kept).map((name) => ({
    name,
    digest: `sha256:${hashParts(['image', name]).slice(0, 64).padEnd(64, '0')}`,
    size: BigInt(memoryOf(name)),
    createdAt: timestampFromMs(machine.record.bootedAt),
  }));
}

export function programCalls(target: Target) {
  return {
    containers({ namespace }, context) {
      const containers = containersOf(target(context).machine, namespaceOf(namespace));
      return { messages: [{ containers: containers.map((one) => ({ ...one, uid: '', internalId: '' })) }] };
    },

    stats({ namespace }, context) {
      const stats = containersOf(target(context).machine, namespaceOf(namespace))
        .filter(({ pid }) => pid > 0)
        .map((one) => ({
          namespace: one.namespace,
          id: one.id,
          podId: one.podId,
          name: one.name,
          memoryUsage: BigInt(memoryOf(one.name)),
          cpuUsage: BigInt(one.pid) * 1_000_000n,
        }));
      return { messages: [{ stats }] };
    },

    restart({ id, namespace }, context) {
      const { machine } = target(context);
      const found = containersOf(machine, namespaceOf(namespace)).find((one) => one.id === id);
      if (!found) fail(Code.Unknown, `container "${id}" not found`);
      machine.log(`container ${id} was sent SIGTERM`);
      return { messages: [{}] };
    },

    async *imageList({ namespace }, context) {
      yield* shownImages(target(context).machine, namespace);
    },

    logsContainers(_request, context) {
      return { messages: [{ ids: Object.keys(target(context).machine.record.services).sort() }] };
    },

    processes(_request, context) {
      const processes = programsOf(target(context).machine).map((program) => ({
        pid: program.pid,
        ppid: program.parent,
        state: 'S',
        threads: 8,
        cpuTime: program.pid / 100,
        virtualMemory: BigInt(program.memory * 4),
        residentMemory: BigInt(program.memory),
        command: program.command,
        executable: program.args,
        args: program.args,
      }));
      return { messages: [{ processes }] };
    },

    netstat({ filter }, context) {
      const { machine } = target(context);
      // No one keeps the connections: what listens is known.
      const listening = filter === NetstatRequest_Filter.CONNECTED ? [] : listeners(machine);
      const connectrecord = listening.map(([port, name]) => ({
        l4proto: 'tcp',
        localip: '0.0.0.0',
        localport: port,
        remoteip: '0.0.0.0',
        state: ConnectRecord_State.LISTEN,
        process: { pid: programsOf(machine).find(({ command }) => command === name)?.pid ?? 1, name },
      }));
      return { messages: [{ connectrecord }] };
    },
  } satisfies Partial<ServiceImpl<typeof MachineService>>;
}

function listeners(machine: Machine): [number, string][] {
  const runs = (service: string) => machine.service(service)?.state === 'Running';
  const list: [number, string, boolean][] = [
    [50_000, 'apid', runs('apid')],
    [50_001, 'trustd', runs('trustd')],
    [10_250, 'kubelet', runs('kubelet')],
    [2379, 'etcd', runs('etcd')],
    [2380, 'etcd', runs('etcd')],
    [6443, 'kube-apiserver', machine.record.controlPlane === 'running'],
  ];
  return list.filter(([, , open]) => open).map(([port, name]) => [port, name]);
}
