import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { MachineService } from '../../../clients/talos/gen/machine/machine_pb.js';
import { shownServices } from '../machine/machine-status.js';
import { containersOf } from '../machine/programs.js';
import { revertedDisk } from '../volumes/system-disk.js';
import { applyConfiguration } from './apply-configuration.js';
import { type Endpoint, fail, requireControlPlane } from './caller.js';
import { etcdCalls } from './etcd-calls.js';
import { machineEvents } from './events.js';
import { fileCalls } from './file-calls.js';
import { pulledImage, startUpgrade } from './images.js';
import { clientConfiguration, kubeconfigArchive } from './issued-files.js';
import { kernelCalls } from './kernel-calls.js';
import { programCalls } from './program-calls.js';
import { recover } from './recover.js';
import { reset } from './reset.js';

type Target = (context: HandlerContext) => Endpoint;
type MachineCalls = Partial<ServiceImpl<typeof MachineService>>;

/** Where it boots from says what it is: an ISO of the lab is that of `metal`. */
const METAL = { name: 'metal', mode: 'metal' };
const NOCLOUD = { name: 'nocloud', mode: 'cloud' };

const encode = (text: string) => ({ bytes: new TextEncoder().encode(text) });

export function machineService(target: Target): MachineCalls {
  return {
    ...etcdCalls(target),
    ...fileCalls(target),
    ...programCalls(target),
    ...kernelCalls(target),
    ...serviceCalls(target),
    ...systemCalls(target),
    ...powerCalls(target),
    ...issuedFiles(target),
    ...logCalls(target),
    // Go's words for a call that a server does not have.
    metaWrite: () => fail(Code.Unimplemented, 'method MetaWrite not implemented'),
    metaDelete: () => fail(Code.Unimplemented, 'method MetaDelete not implemented'),
    applyConfiguration: (request, context) => applyConfiguration(target(context), request, context),

    version(_request, context) {
      const { machine } = target(context);
      const { system } = machine.record;
      return {
        messages: [
          {
            version: {
              tag: system?.version ?? '',
              sha: 'lab',
              built: '',
              goVersion: '',
              os: 'linux',
              arch: system?.arch ?? '',
            },
            platform: system?.from === 'iso' ? METAL : NOCLOUD,
            ...(machine.configured ? { features: { rbac: true } } : {}),
          },
        ],
      };
    },

    hostname: (_request, context) => ({ messages: [{ hostname: target(context).machine.hostname }] }),
  };
}

/** Services of a machine; of those that it has, only the kubelet is restarted for a caller. */
function serviceCalls(target: Target): MachineCalls {
  return {
    serviceList(_request, context) {
      const services = shownServices(target(context).machine).map((service) => {
        const ts = timestampFromMs(service.since);
        return {
          id: service.id,
          state: service.state,
          events: { events: [{ msg: service.message, state: service.state, ts }] },
          health: {
            unknown: service.unknown,
            healthy: service.healthy,
            lastMessage: service.healthy ? '' : service.message,
            lastChange: ts,
          },
        };
      });
      return { messages: [{ services }] };
    },

    serviceRestart({ id }, context) {
      const { machine } = target(context);
      if (!machine.service(id)) fail(Code.Unknown, `service "${id}" not defined`);
      if (id !== 'kubelet') fail(Code.Unknown, `service "${id}" doesn't support restart operation via API`);
      machine.setService(id, 'Waiting', 'restarted via API', false);
      machine.room.settle();
      return { messages: [{ resp: `Service "${id}" restarted` }] };
    },

    serviceStart: ({ id }, context) => {
      const { machine } = target(context);
      if (!machine.service(id)) fail(Code.Unknown, `service "${id}" not defined`);
      fail(Code.Unknown, `service "${id}" doesn't support start operation via API`);
    },

    serviceStop: ({ id }, context) => {
      const { machine } = target(context);
      if (!machine.service(id)) fail(Code.Unknown, `service "${id}" not defined`);
      fail(Code.Unknown, `service "${id}" doesn't support stop operation via API`);
    },
  };
}

/** What Talos is on the system disk, and what etcd begins with. */
function systemCalls(target: Target): MachineCalls {
  return {
    upgrade(request, context) {
      const endpoint = target(context);
      if (!endpoint.machine.installed) fail(Code.FailedPrecondition, 'Talos is not installed');
      startUpgrade(endpoint, request.image);
      const actor = actorId(endpoint);
      endpoint.lifecycle.stop(endpoint.machine, 'upgrading', 'boot', { actor });
      return { messages: [{ ack: 'Upgrade request received', actorId: actor }] };
    },

    async imagePull({ reference }, context) {
      await pulledImage(target(context), reference);
      return { messages: [{}] };
    },

    rollback(_request, context) {
      const { machine, lifecycle } = target(context);
      const drive = machine.systemDrive;
      if (!drive) fail(Code.FailedPrecondition, 'system disk not found');
      const reverted = revertedDisk(drive.content);
      if (!reverted) fail(Code.Unknown, 'previous boot entry not found');
      machine.room.hypervisor.write(machine.vmid, drive.slot, () => reverted);
      lifecycle.stop(machine, 'rebooting', 'boot');
      return { messages: [{}] };
    },

    bootstrap(request, context) {
      const endpoint = target(context);
      const { machine } = endpoint;
      // The order of the real handler: up, control plane, etcd configured, time, data directory.
      const up = machine.record.stage === 'running' && machine.service('cri')?.state === 'Running';
      if (!up || !machine.ephemeral) fail(Code.FailedPrecondition, 'bootstrap is not available yet');
      requireControlPlane(machine, 'bootstrap');
      const { etcdOwner } = machine.facts ?? {};
      if (etcdOwner === undefined)
        fail(Code.InvalidArgument, 'etcd is not configured, bootstrap is not possible');
      if (machine.etcdData) fail(Code.AlreadyExists, 'etcd data directory is not empty');
      const made = request.recoverEtcd
        ? recover(endpoint, etcdOwner)
        : machine.room.etcd.create(etcdOwner, machine.hostname, machine.ip ?? '');
      machine.writeEtcdData(made);
      machine.room.settle();
      return { messages: [{}] };
    },
  };
}

/** Calls after which the machine is off or starts again; the actor id ties its events to them. */
function powerCalls(target: Target): MachineCalls {
  return {
    reboot(_request, context) {
      const endpoint = target(context);
      const actor = actorId(endpoint);
      endpoint.lifecycle.stop(endpoint.machine, 'rebooting', 'boot', { actor });
      return { messages: [{ actorId: actor }] };
    },

    shutdown(_request, context) {
      const endpoint = target(context);
      const actor = actorId(endpoint);
      endpoint.lifecycle.stop(endpoint.machine, 'shutting down', 'off', { actor });
      return { messages: [{ actorId: actor }] };
    },

    reset(request, context) {
      const endpoint = target(context);
      const actor = actorId(endpoint);
      reset(endpoint, request, actor);
      return { messages: [{ actorId: actor }] };
    },
  };
}

const actorId = ({ machine }: Endpoint) => machine.room.core.random.uuid();

/** Files that the machine signs with the keys of its cluster. */
function issuedFiles(target: Target): MachineCalls {
  return {
    async *kubeconfig(_request, context) {
      const { machine } = target(context);
      requireControlPlane(machine, 'kubeconfig');
      yield { bytes: await kubeconfigArchive(machine) };
    },

    async generateClientConfiguration({ roles, crtTtl }, context) {
      const { machine } = target(context);
      requireControlPlane(machine, 'generate client configuration');
      const ttl = crtTtl ? Number(crtTtl.seconds) * 1000 : 0;
      return { messages: [await clientConfiguration(machine, roles, ttl)] };
    },
  };
}

/** What a machine says of itself. */
function logCalls(target: Target): MachineCalls {
  return {
    async *logs({ id, tailLines, namespace }, context) {
      const { machine } = target(context);
      if (namespace === 'k8s.io') {
        // What a container printed is told by the API's own log call; here it is known that it runs.
        const container = containersOf(machine, 'k8s.io').find((one) => one.id === id && one.podId !== id);
        if (!container) fail(Code.Unknown, `container "${id}" not found`);
        yield encode(`${container.name}: ${container.status}\n`);
        return;
      }
      const service = machine.service(id);
      if (!service) fail(Code.Unknown, `log "${id}" was not registered`);
      // `talosctl logs kubelet` is what the program itself printed.
      const lines = machine.record.log
        .filter((line) => line.includes(`service[${id}]`) || line.includes(`[talos] [${id}] `))
        .map((line) => `${line}\n`);
      const text = [...lines, `${service.state}: ${service.message}\n`];
      yield encode((tailLines > 0 ? text.slice(-tailLines) : text).join(''));
    },

    async *events(request, context) {
      yield* machineEvents(target(context).machine, request, context.signal);
    },

    async *dmesg(_request, context) {
      yield encode(
        target(context)
          .machine.record.log.map((line) => `${line}\n`)
          .join(''),
      );
    },
  };
}
