import type { LabCore } from '../lab.js';
import type { Table } from '../store.js';
import type { ClusterObjects, ObjectReader } from './controllers/cluster-objects.js';
import { allControllers, type ControlProgram } from './controllers/index.js';
import { ControllerLoop } from './controllers/loop.js';
import { type Machine, World } from './controllers/world.js';
import type { ClusterDescription, CsiBackend, KubernetesFeed } from './feed.js';
import { sameJson } from './json.js';
import type { KubeObject } from './object.js';

export const API_PORT = 6443;

export interface KubernetesOptions {
  /** Keeps several clusters of one lab apart. */
  readonly cluster?: string;
  /** What the CSI driver does on the hypervisor; nothing unless told. */
  readonly csi?: (objects: ObjectReader) => CsiBackend;
  /** Nodes created by hand whose kubelets the lab plays as well. */
  readonly adopts?: (node: KubeObject) => boolean;
}

/** One Kubernetes cluster of the lab. */
export interface KubernetesLab {
  readonly objects: ClusterObjects;
  readonly feed: KubernetesFeed;
  close(): Promise<void>;
}

/** Where the objects are and how clients reach them: the lab's own API, or a real one. */
export interface Backend {
  readonly objects: ClusterObjects;
  /** What of the control plane really runs beside the API, and is not the lab's to do. */
  readonly programs: ReadonlySet<ControlProgram>;
  /** An API server begins to answer on this address. */
  open(ip: string, description: ClusterDescription): Promise<Door>;
  /** Without quorum the API servers live, but serve nothing. */
  quorum(holds: boolean): void;
  close(): Promise<void>;
}

export interface Door {
  close(): Promise<void>;
}

/** A driver whose volumes are nowhere: everything works. */
const NO_HYPERVISOR: CsiBackend = {
  create: ({ name, zone, parameters }) => `lab/${zone}/${parameters.storage ?? 'local'}/vm-9999-${name}`,
  attach() {},
  detach() {},
};

/** The tables of a cluster in the lab's store. */
export function prefixOf({ cluster = 'cluster' }: KubernetesOptions): string {
  return `kubernetes/${cluster}`;
}

/** Machines, controllers and API servers of one cluster, on whatever API it has. */
export function runCluster(core: LabCore, backend: Backend, options: KubernetesOptions): KubernetesLab {
  const prefix = prefixOf(options);
  const facts = core.store.table<ClusterDescription>(`${prefix}/description`);
  const machines = core.store.table<Machine>(`${prefix}/machines`);
  const logs = core.store.table<string>(`${prefix}/logs`);
  const doors: Doors = new Map();
  const manifests: unknown[] = [];
  let quorum = true;
  const world = new World(backend.objects, core.clock, machines, logs);
  const setup = {
    programs: backend.programs,
    cluster: () => facts.get('cluster'),
    manifests,
    csi: options.csi?.(backend.objects) ?? NO_HYPERVISOR,
    adopts: options.adopts ?? (() => false),
  };
  const loop = new ControllerLoop(world, core.clock, allControllers(setup), () => quorum && doors.size > 0);
  const wake = () => loop.wake();

  const feed: KubernetesFeed = {
    cluster(description) {
      if (!sameJson(facts.get('cluster'), description)) facts.put('cluster', description);
      wake();
    },
    ...machineFeed(core, machines, wake),
    ...apiServerFeed(core, backend, facts, doors, wake),
    etcdQuorum(holds) {
      quorum = holds;
      backend.quorum(holds);
      wake();
    },
    manifests(objects) {
      manifests.push(...objects);
      wake();
    },
  };

  return {
    objects: backend.objects,
    feed,
    async close() {
      loop.close();
      const open = [...doors.values()];
      doors.clear();
      // One that failed to open was reported when it did.
      await Promise.allSettled(open.map(async (door) => (await door).close()));
      await backend.close();
    },
  };
}

/** API servers by their address. */
type Doors = Map<string, Promise<Door>>;

function machineFeed(
  core: LabCore,
  machines: Table<Machine>,
  wake: () => void,
): Pick<KubernetesFeed, 'nodeUp' | 'nodeDown' | 'nodesAre'> {
  return {
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
      wake();
    },
    nodeDown(name) {
      const known = machines.get(name);
      if (known?.up) machines.put(name, { ...known, up: false });
      wake();
    },
    nodesAre(names) {
      const ended = [...machines.entries()].filter(([name, { up }]) => up && !names.has(name));
      for (const [name, machine] of ended) machines.put(name, { ...machine, up: false });
      if (ended.length > 0) wake();
    },
  };
}

function apiServerFeed(
  core: LabCore,
  backend: Backend,
  facts: Table<ClusterDescription>,
  doors: Doors,
  wake: () => void,
): Pick<KubernetesFeed, 'apiServerUp' | 'apiServerDown'> {
  function describe(): ClusterDescription {
    const description = facts.get('cluster');
    if (!description) throw new Error('an API server needs the cluster to be described first');
    return description;
  }
  return {
    async apiServerUp(ip) {
      if (doors.has(ip)) return;
      const open = Promise.resolve().then(() => backend.open(ip, describe()));
      doors.set(ip, open);
      // No lab time passes while the port is being opened.
      core.clock.hold(open);
      try {
        await open;
      } catch (error) {
        doors.delete(ip);
        throw error;
      }
      wake();
    },
    async apiServerDown(ip) {
      const open = doors.get(ip);
      if (!open) return;
      doors.delete(ip);
      const closed = open.then((door) => door.close());
      core.clock.hold(closed);
      await closed;
    },
  };
}
