import type { LabCore } from '../lab.js';
import { KubeApi } from './api/kube-api.js';
import { internalWrite } from './api/options.js';
import { bootstrapObjects } from './bootstrap.js';
import { issue } from './certificates.js';
import { allControllers } from './controllers/index.js';
import { ControllerLoop } from './controllers/loop.js';
import { type Machine, World } from './controllers/world.js';
import type { ClusterDescription, CsiBackend, KubernetesFeed } from './feed.js';
import { type Listener, listen } from './http/listener.js';
import { isObj, objOf, sameJson, textOf } from './json.js';
import type { KubeObject } from './object.js';
import { ApiError } from './status.js';
import { ObjectStore } from './storage/object-store.js';

export type { ClusterDescription, CsiBackend, KubernetesFeed, NodeDescription } from './feed.js';
export { type RecordingsKubernetes, startRecordingsKubernetes } from './recordings-profile.js';

export const API_PORT = 6443;

export interface KubernetesOptions {
  /** Keeps several clusters of one lab apart. */
  readonly cluster?: string;
  /** What the CSI driver does on the hypervisor; nothing unless told. */
  readonly csi?: (api: KubeApi) => CsiBackend;
  /** Nodes created by hand whose kubelets the lab plays as well. */
  readonly adopts?: (node: KubeObject) => boolean;
}

export interface KubernetesLab {
  readonly api: KubeApi;
  readonly feed: KubernetesFeed;
  close(): Promise<void>;
}

/** A driver whose volumes are nowhere: everything works. */
const NO_HYPERVISOR: CsiBackend = {
  create: ({ name, zone, parameters }) => `lab/${zone}/${parameters.storage ?? 'local'}/vm-9999-${name}`,
  attach() {},
  detach() {},
};

/** One Kubernetes cluster of the lab: one store, reached through every API server that its machines run. */
export function startKubernetes(core: LabCore, options: KubernetesOptions = {}): KubernetesLab {
  const prefix = `kubernetes/${options.cluster ?? 'cluster'}`;
  const api = new KubeApi(new ObjectStore(core.store, prefix), core.clock, core.random);
  const facts = core.store.table<ClusterDescription>(`${prefix}/description`);
  const machines = core.store.table<Machine>(`${prefix}/machines`);
  const logs = core.store.table<string>(`${prefix}/logs`);
  const listeners = new Map<string, Promise<Listener>>();
  let quorum = true;
  bootstrapObjects(api);

  const cluster = () => facts.get('cluster');
  const world = new World(api, machines, logs);
  const setup = {
    cluster,
    csi: options.csi?.(api) ?? NO_HYPERVISOR,
    adopts: options.adopts ?? (() => false),
  };
  const loop = new ControllerLoop(
    world,
    core.clock,
    allControllers(setup),
    () => quorum && listeners.size > 0,
  );
  const server = {
    api,
    tokens: new Map(),
    faults: core.faults,
    logs,
    version: () => cluster()?.version ?? 'v0.0.0',
    quorum: () => quorum,
  };

  const feed: KubernetesFeed = {
    cluster(description) {
      if (!sameJson(facts.get('cluster'), description)) facts.put('cluster', description);
      loop.wake();
    },
    nodeUp(description) {
      const known = machines.get(description.name);
      const goesOn = known?.up === true && known.description.bootID === description.bootID;
      if (goesOn && sameJson(known.description, description)) return;
      const since = goesOn ? known.since : core.clock.now();
      machines.put(description.name, {
        description,
        up: true,
        since,
        registered: goesOn && known.registered,
      });
      loop.wake();
    },
    nodeDown(name) {
      const known = machines.get(name);
      if (known?.up) machines.put(name, { ...known, up: false });
      loop.wake();
    },
    async apiServerUp(ip) {
      if (listeners.has(ip)) return;
      const open = openOn(ip);
      listeners.set(ip, open);
      // No lab time passes while the port is being opened.
      core.clock.hold(open);
      try {
        await open;
      } catch (error) {
        listeners.delete(ip);
        throw error;
      }
      loop.wake();
    },
    async apiServerDown(ip) {
      const open = listeners.get(ip);
      if (!open) return;
      listeners.delete(ip);
      const closed = open.then((listener) => listener.close());
      core.clock.hold(closed);
      await closed;
    },
    etcdQuorum(holds) {
      quorum = holds;
      loop.wake();
    },
    manifests(objects) {
      for (const object of objects) createIfMissing(api, object);
    },
  };

  async function openOn(ip: string): Promise<Listener> {
    const description = cluster();
    if (!description) throw new Error('an API server needs the cluster to be described first');
    const names = description.certificateNames ?? [];
    const isAddress = (name: string) => /^[\d.]+$|:/.test(name);
    const bind = core.network.bindFor(ip, API_PORT);
    const serving = await issue(description.authority, {
      commonName: 'kube-apiserver',
      organizations: ['kube-master'],
      addresses: [...new Set([ip, bind.host, '127.0.0.1', '10.96.0.1', ...names.filter(isAddress)])],
      names: [
        'localhost',
        'kubernetes',
        'kubernetes.default',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster.local',
        ...names.filter((name) => !isAddress(name)),
      ],
      usage: 'server',
    });
    return listen(server, core.network, ip, API_PORT, serving, description.authority.certificate);
  }

  return {
    api,
    feed,
    async close() {
      loop.close();
      const open = [...listeners.values()];
      listeners.clear();
      await Promise.all(open.map(async (listener) => (await listener).close()));
    },
  };
}

/** Talos creates what is missing and leaves alone what is there. */
function createIfMissing(api: KubeApi, body: unknown): void {
  if (!isObj(body)) return;
  const type = api.registry.ofKind(textOf(body.apiVersion), textOf(body.kind));
  if (!type) return;
  const metadata = objOf(body.metadata);
  const namespace = type.namespaced ? textOf(metadata.namespace) || 'default' : undefined;
  if (
    api.find(
      type.group === '' ? type.plural : `${type.plural}.${type.group}`,
      namespace,
      textOf(metadata.name),
    )
  )
    return;
  try {
    api.create(type, namespace, body, internalWrite('talos'));
  } catch (error) {
    // A manifest that the API refuses is Talos's to report; it tries the others.
    if (!(error instanceof ApiError)) throw error;
  }
}
