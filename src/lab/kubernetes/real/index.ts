/** A cluster on a real API server: etcd and kube-apiserver of the PATH, played by the lab's machines and controllers. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { LabCore } from '../../lab.js';
import { issue } from '../certificates.js';
import {
  API_PORT,
  type Backend,
  type Door,
  type KubernetesLab,
  type KubernetesOptions,
  prefixOf,
  runCluster,
} from '../cluster.js';
import type { ControlProgram } from '../controllers/index.js';
import type { Machine } from '../controllers/world.js';
import type { ClusterDescription } from '../feed.js';
import { ApiClient } from './api-client.js';
import { type Binaries, PROGRAMS } from './binaries.js';
import { type ControlPlane, startControlPlane } from './control-plane.js';
import { type Kubelets, startKubelets } from './kubelets.js';
import { Mirror, type Seen } from './mirror.js';
import { passThrough, TalkTime } from './pass-through.js';
import { startPrograms } from './programs.js';
import { RealObjects } from './real-objects.js';
import { Writer } from './writes.js';

export { type Binaries, findBinaries } from './binaries.js';

export interface RealKubernetes {
  readonly binaries: Binaries;
  /** Where the clusters' data are kept. */
  readonly folder: string;
}

interface RealOptions extends KubernetesOptions {
  /** Told of writes that the API server refused. */
  readonly notice?: (text: string) => void;
}

export function startRealKubernetes(
  core: LabCore,
  real: RealKubernetes,
  options: RealOptions = {},
): KubernetesLab {
  return runCluster(core, new RealBackend(core, real, options), options);
}

interface Running {
  readonly plane: ControlPlane;
  readonly kubelets: Kubelets;
  readonly client: ApiClient;
  readonly mirror: Mirror;
  /** Ends the programs beside the API server, and what their time asked of the lab's. */
  readonly endPrograms: () => Promise<void>;
}

/** How fast lab time may pass beside programs that live in wall time: what they do in a second is done within 20. */
const MOST_SPEED = 20;

/** The processes run while an API server of the cluster does, and are found again by what they left on disk. */
class RealBackend implements Backend {
  readonly objects: RealObjects;
  readonly programs: ReadonlySet<ControlProgram>;
  readonly #talk: TalkTime;
  readonly #doors = new Map<string, Promise<Door>>();
  /** Addresses that are open or being opened; the processes run for them. */
  readonly #wanted = new Set<string>();
  #running: Promise<Running> | undefined;
  #stopping: Promise<void> = Promise.resolve();
  #quorum = true;

  constructor(
    private readonly core: LabCore,
    private readonly real: RealKubernetes,
    private readonly options: RealOptions,
  ) {
    this.objects = new RealObjects(core.clock, core.random);
    this.programs = new Set(PROGRAMS.filter((name) => real.binaries.programs[name] !== undefined));
    this.#talk = new TalkTime(core.clock);
  }

  async open(ip: string, description: ClusterDescription): Promise<Door> {
    const { host } = this.core.network.bindFor(ip, API_PORT);
    this.#wanted.add(ip);
    this.#running ??= this.#start(description);
    try {
      const { plane } = await this.#running;
      await plane.alsoServe([ip, host]);
      if (this.#quorum) await this.#openDoor(ip, plane);
      else this.#doors.set(ip, CLOSED);
    } catch (error) {
      await this.#closeDoor(ip).catch(() => {});
      throw error;
    }
    return { close: () => this.#closeDoor(ip) };
  }

  quorum(holds: boolean): void {
    if (holds === this.#quorum) return;
    this.#quorum = holds;
    this.core.clock.hold(this.#follow());
  }

  async close(): Promise<void> {
    await Promise.all([...this.#wanted].map((ip) => this.#closeDoor(ip)));
    await this.#stop();
  }

  /** Without quorum no one is let in: an API server that cannot reach etcd answers nothing. */
  async #follow(): Promise<void> {
    const plane = (await this.#running)?.plane;
    for (const [ip, door] of [...this.#doors]) {
      await (await door).close();
      if (this.#quorum && plane) await this.#openDoor(ip, plane);
      else this.#doors.set(ip, CLOSED);
    }
  }

  async #openDoor(ip: string, { place }: ControlPlane): Promise<void> {
    const door = passThrough(this.core.network, { ip, port: API_PORT }, place.port, this.#talk);
    this.#doors.set(ip, door);
    await door;
  }

  async #closeDoor(ip: string): Promise<void> {
    const door = this.#doors.get(ip);
    this.#doors.delete(ip);
    this.#wanted.delete(ip);
    await (await door)?.close();
    if (this.#wanted.size === 0) await this.#stop();
  }

  async #start(description: ClusterDescription): Promise<Running> {
    await this.#stopping;
    // All that are opened in the same moment, as when a lab goes on: one certificate for them.
    const addresses = [...this.#wanted].flatMap((ip) => [ip, this.core.network.bindFor(ip, API_PORT).host]);
    const prefix = prefixOf(this.options);
    const folder = join(this.real.folder, this.options.cluster ?? 'cluster');
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const { binaries } = this.real;
    const kubelets = await this.#startKubelets(description, prefix);
    const options = { binaries, folder, description, addresses, kubelets: kubelets.port };
    const plane = await startControlPlane(options).catch(async (error: unknown) => {
      await kubelets.close();
      throw error;
    });
    const client = new ApiClient(plane.place);
    const seen = this.core.store.table<Seen>(`${prefix}/seen`);
    const mirror = new Mirror(client, () => this.core.clock.now(), seen);
    await mirror.start();
    const writer = new Writer(client, mirror, (text) => this.options.notice?.(text));
    this.objects.connect({ mirror, writer });
    const endPrograms = await this.#startPrograms(folder, description, plane);
    return { plane, kubelets, client, mirror, endPrograms };
  }

  async #startPrograms(
    folder: string,
    description: ClusterDescription,
    { place }: ControlPlane,
  ): Promise<() => Promise<void>> {
    if (this.programs.size === 0) return () => Promise.resolve();
    const { programs } = this.real.binaries;
    const { speed, end } = this.core.clock.limit(MOST_SPEED);
    const notice = (text: string) => this.options.notice?.(text);
    const stop = await startPrograms({ programs, folder, description, place, speed, notice });
    return async () => {
      end();
      await stop();
    };
  }

  async #startKubelets(description: ClusterDescription, prefix: string): Promise<Kubelets> {
    const machines = this.core.store.table<Machine>(`${prefix}/machines`);
    const logs = this.core.store.table<string>(`${prefix}/logs`);
    return startKubelets({
      serving: await issue(description.authority, {
        commonName: 'kubelet',
        addresses: ['127.0.0.1'],
        usage: 'server',
      }),
      authority: description.authority.certificate,
      runs: (ip) => [...machines.values()].some((machine) => machine.up && machine.description.ip === ip),
      logs: (namespace, name) => {
        const pod = this.objects.find('pods', namespace, name);
        return pod && (logs.get(pod.metadata.uid ?? '') ?? '');
      },
    });
  }

  #stop(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    if (running) this.#stopping = this.#end(running);
    return this.#stopping;
  }

  async #end(running: Promise<Running>): Promise<void> {
    this.objects.connect(undefined);
    this.#talk.end();
    const started = await running.catch(() => undefined);
    await started?.endPrograms();
    started?.mirror.close();
    started?.client.close();
    await started?.plane.stop();
    await started?.kubelets.close();
  }
}

const CLOSED: Promise<Door> = Promise.resolve({ close: () => Promise.resolve() });
