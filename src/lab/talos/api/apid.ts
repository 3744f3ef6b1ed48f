import { randomBytes } from 'node:crypto';
import type { Http2ServerRequest } from 'node:http2';
import { isIP } from 'node:net';
import { createContextValues, type HandlerContext } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { ClusterService } from '../../../clients/talos/gen/cluster/cluster_pb.js';
import { State } from '../../../clients/talos/gen/cosi/resource/state_pb.js';
import { ImageService } from '../../../clients/talos/gen/machine/image_pb.js';
import { LifecycleService } from '../../../clients/talos/gen/machine/lifecycle_pb.js';
import { MachineService } from '../../../clients/talos/gen/machine/machine_pb.js';
import { StorageService } from '../../../clients/talos/gen/storage/storage_pb.js';
import { TimeService } from '../../../clients/talos/gen/time/time_pb.js';
import { newAuthority } from '../../../secrets/certificates.js';
import { pemForNode } from '../../../secrets/keys.js';
import { fromBase64Pem } from '../../../secrets/pem.js';
import { issueForLab } from '../../certificates.js';
import type { Machine, Room } from '../machine/machine.js';
import { type Endpoint, rolesKey, targetKey } from './caller.js';
import { imageService, lifecycleService } from './images.js';
import type { ListenerTls, RequestHandler } from './listener.js';
import { losePackets } from './lost-packets.js';
import { machineService } from './machine-service.js';
import { clusterService, storageService, timeService } from './other-services.js';
import { routing } from './routing.js';
import { mayCall } from './rules.js';
import { stateService } from './state-service.js';

/** One set of handlers for all machines: which one is meant comes with the request. */
export function createApid(findEndpoint: (address: string) => Endpoint | undefined) {
  const meant = new WeakMap<object, { endpoint: Endpoint; roles: ReadonlySet<string> }>();
  const target = (context: HandlerContext): Endpoint => {
    const endpoint = context.values.get(targetKey);
    if (!endpoint) throw new Error('a call without a machine');
    return endpoint;
  };
  const adapter = connectNodeAdapter({
    connect: false,
    grpcWeb: false,
    readMaxBytes: 32 * 1024 * 1024,
    acceptCompression: [],
    interceptors: [routing(findEndpoint)],
    contextValues(request) {
      const call = meant.get(request);
      return createContextValues()
        .set(targetKey, call?.endpoint)
        .set(rolesKey, call?.roles ?? new Set<string>());
    },
    routes(router) {
      router.service(MachineService, machineService(target));
      router.service(LifecycleService, lifecycleService(target));
      router.service(ImageService, imageService(target));
      router.service(State, stateService(target));
      router.service(ClusterService, clusterService(target));
      router.service(StorageService, storageService(target));
      router.service(TimeService, timeService(target));
    },
    // Methods the lab does not have: the role table comes first, as on the real machine.
    fallback(request, response) {
      const path = request.url ?? '';
      const allowed = mayCall(path, meant.get(request)?.roles ?? new Set());
      const [, service = '', method = ''] = path.split('/');
      // Trailers alone: headers that end the stream. Without that grpc-go misses the trailers.
      if (!('stream' in response)) return;
      response.stream.respond(
        {
          ':status': 200,
          'content-type': 'application/grpc',
          'grpc-status': allowed ? '12' : '7',
          'grpc-message': allowed ? unknownCall(service, method) : 'not authorized',
        },
        { endStream: true },
      );
    },
  });
  return (endpoint: Endpoint): RequestHandler =>
    (request: Http2ServerRequest, response, roles) => {
      meant.set(request, { endpoint, roles });
      losePackets(endpoint.machine, request, response);
      if (!cutByFault(endpoint.machine, request, response)) adapter(request, response);
    };
}

const SERVED = new Set(
  [MachineService, LifecycleService, ImageService, State, ClusterService, StorageService, TimeService].map(
    (service) => service.typeName,
  ),
);

/** Go's words for what a server does not have. */
function unknownCall(service: string, method: string): string {
  return SERVED.has(service)
    ? `unknown method ${method} for service ${service}`
    : `unknown service ${service}`;
}

/** `true`: no one will see this call. One that is cut after it was carried out ends where its answer would. */
function cutByFault(
  machine: Machine,
  request: Http2ServerRequest,
  response: Parameters<RequestHandler>[1],
): boolean {
  const { faults } = machine.room.core;
  const call = request.url ?? '';
  const vmid = String(machine.vmid);
  const subjects = [`${vmid} ${call}`, call, vmid];
  const cut = () => request.stream.session?.destroy();
  if (faults.strikes('call-drop-before', ...subjects)) {
    cut();
    return true;
  }
  if (faults.strikes('call-drop-after', ...subjects)) {
    response.end = () => {
      cut();
      return response;
    };
  }
  return false;
}

const HOUR = 3_600_000;

/** A machine without a config signs its own certificate; one for all of a lab is enough, no one verifies it. */
export function maintenanceTls(): () => Promise<ListenerTls> {
  let made: Promise<ListenerTls> | undefined;
  return () => {
    made ??= newAuthority(
      {
        subject: { organizations: ['talos'] },
        algorithm: 'ed25519',
        notBefore: new Date(Date.now() - HOUR),
      },
      randomBytes,
    ).then(({ crt, key }) => ({ certificate: fromBase64Pem(crt), key: pemForNode(fromBase64Pem(key)) }));
    return made;
  };
}

/**
 * The key that signs a machine's server certificate: a control plane has it in its config, a worker asks trustd of a
 * control plane of its cluster. `undefined`: none can be had now, so the API does not come up.
 */
export function signingKey(room: Room, machine: Machine): { crt: string; key: string } | undefined {
  const own = machine.facts?.talosCa;
  if (!own?.crt) return undefined;
  if (own.key) return own;
  for (const other of room.machines()) {
    const ca = other.facts?.talosCa;
    if (ca?.key && ca.crt === own.crt && other.service('trustd')?.state === 'Running') return ca;
  }
  return undefined;
}

const remembered = new Map<string, Promise<ListenerTls>>();
const MOST_REMEMBERED = 1_000;

/**
 * A server certificate for all addresses and names of the machine. One that boots again in this process has the same:
 * to sign costs more than all else of a boot.
 */
export function machineTls(ca: { crt: string; key: string }, names: readonly string[]): Promise<ListenerTls> {
  const id = [ca.crt, ca.key, ...names].join(' ');
  const known = remembered.get(id);
  if (known) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const made = newMachineTls(ca, names);
  remembered.set(id, made);
  return made;
}

async function newMachineTls(
  ca: { crt: string; key: string },
  names: readonly string[],
): Promise<ListenerTls> {
  const pair = await issueForLab(ca, {
    subject: { commonName: names.find((name) => isIP(name) === 0) ?? 'talos' },
    usage: ['server', 'client'],
    addresses: names.filter((name) => isIP(name) !== 0),
    dnsNames: names.filter((name) => isIP(name) === 0),
  });
  return {
    certificate: fromBase64Pem(pair.crt),
    key: pemForNode(fromBase64Pem(pair.key)),
    clientCa: fromBase64Pem(ca.crt),
  };
}
