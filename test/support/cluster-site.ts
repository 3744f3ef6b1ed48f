/** A folder with a config and one lab that stays up between commands, so that tests look into it while they run. */
import { join } from 'node:path';
import { requireConfig } from '../../src/cli/require-config.js';
import { connectProxmox, type ProxmoxClient } from '../../src/clients/proxmox/client.js';
import { type Lab, startLab } from '../../src/lab/index.js';
import { labParts } from '../../src/lab/parts.js';
import { folderState } from '../../src/lab/state.js';
import type { TalosRoom } from '../../src/lab/talos/room.js';
import type { LabWorld } from '../../src/lab/world.js';
import { readConfig } from '../../src/session/config/read-config.js';
import { type Site, withSite } from '../../src/session/connect/site.js';
import type { LabTarget, Place, SessionContext } from '../../src/session/context.js';
import { leasesOf, worldOf } from '../../src/session/lab/lab-world.js';
import { preparePlan } from '../../src/session/plan/prepare-plan.js';
import { testContext } from './cli/context.js';
import { CliFolder, type CliResult } from './cli.js';
import type { RememberedReads } from './remembered-reads.js';
import { configOf } from './vm-site.js';
import { kubernetesOf, type Limits, type Report, watching } from './watcher.js';

const NOTHING_SEEN: Report = {
  samples: 0,
  violations: [],
  mostAway: 0,
  longestSilenceSeconds: 0,
  went: [],
};

export class ClusterSite {
  private constructor(
    readonly folder: CliFolder,
    readonly lab: Lab,
    readonly room: TalosRoom,
    private text: string,
  ) {}

  /** On a new folder, or on one that holds a lab already. */
  static async open(
    text: string,
    folder: CliFolder = CliFolder.make(),
    /** What the hosts have, where a config alone does not say it. */
    adapt: (world: LabWorld) => LabWorld = (world) => world,
  ): Promise<ClusterSite> {
    folder.config = text;
    const config = configOf(text);
    let room: TalosRoom | undefined;
    const lab = await startLab({
      state: await folderState(join(folder.path, '.oxherd', 'lab')),
      world: adapt(worldOf(config)),
      parts: labParts({
        leases: leasesOf(config),
        onRoom: (made) => {
          room = made;
        },
      }),
    });
    if (!room) throw new Error('the lab has no machines');
    return new ClusterSite(folder, lab, room, text);
  }

  set config(text: string) {
    this.text = text;
    this.folder.config = text;
  }

  get config(): string {
    return this.text;
  }

  /** For a session without a command around it. */
  get target(): LabTarget {
    return { kind: 'lab', open: this.#openLab };
  }

  /** What lies between the commands that follow and the lab. */
  through: (place: Place) => Place = (place) => place;
  /** How long the command waits for an answer of Proxmox, in wall time. */
  requestTimeoutMs: number | undefined;
  /** Ctrl-C for the commands that follow. */
  signal: AbortSignal | undefined;
  /** Told of each piece of text that a command prints. */
  onPrint: (text: string) => void = () => {};
  /** Told of what it says beside its output, such as the lines of hooks. */
  onTell: (text: string) => void = () => {};

  run(...args: string[]): Promise<CliResult> {
    const onPrint = (text: string) => this.onPrint(text);
    const { signal } = this;
    return this.folder.run(['--lab', ...args], {
      openLab: this.#openLab,
      onPrint,
      onTell: (text) => this.onTell(text),
      ...(signal && { signal }),
    });
  }

  /** What a plan is made from, and the plan, without a command around it. */
  async prepare(
    options: Parameters<typeof preparePlan>[1] = {},
    reads?: RememberedReads,
  ): ReturnType<typeof preparePlan> {
    return this.connected((site) => preparePlan(reads?.of(site) ?? site, options));
  }

  /** Connections to the lab with the present config, as a command has them. */
  connected<T>(work: (site: Site, context: SessionContext) => Promise<T>): Promise<T> {
    const { context: own } = testContext(this.folder.path, { lab: true });
    const context = { ...own, target: this.target };
    return withSite(context, requireConfig(own), (site) => work(site, context));
  }

  /** Runs a command while the watcher looks. */
  async watch(
    args: readonly string[],
    limits: Partial<Limits> = {},
  ): Promise<{ readonly result: CliResult; readonly report: Report }> {
    const { context } = testContext(this.folder.path, { lab: true });
    const { config } = readConfig(context);
    // Refused before anything is looked at.
    if (!config) return { result: await this.run(...args), report: NOTHING_SEEN };
    const { nodes, cluster } = config;
    // A node that is not there yet is not away.
    const vmids = nodes
      .map((node) => Number(node.vmid))
      .filter((vmid) => this.lab.proxmox.pve.db.vms.has(String(vmid)));
    // Where it changes, clients of either address are served as long as one of them answers.
    const held = [...this.room.db.vips.entries()].map(([vip]) => vip);
    const vips = [...new Set([...held, ...(cluster.vip === undefined ? [] : [cluster.vip])])];
    return watching({ lab: this.lab, room: this.room, vmids, vips }, () => this.run(...args), limits);
  }

  /** A Deployment of three with a budget that lets one of them go; it tolerates taints with these keys. */
  async plantWorkload(tolerated: readonly string[] = []): Promise<void> {
    const api = kubernetesOf(this.room);
    if (!api) throw new Error('there is no Kubernetes to plant anything in');
    const labels = { app: 'web' };
    const objects = [
      {
        resource: 'deployments.apps',
        body: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'web', namespace: 'default' },
          spec: {
            replicas: 3,
            selector: { matchLabels: labels },
            template: {
              metadata: { labels },
              spec: {
                containers: [{ name: 'web', image: 'registry.example/web:1' }],
                tolerations: tolerated.map((key) => ({ key, operator: 'Exists' })),
              },
            },
          },
        },
      },
      {
        resource: 'poddisruptionbudgets.policy',
        body: {
          apiVersion: 'policy/v1',
          kind: 'PodDisruptionBudget',
          metadata: { name: 'web', namespace: 'default' },
          spec: { minAvailable: 2, selector: { matchLabels: labels } },
        },
      },
    ];
    for (const { resource, body } of objects) {
      if (!api.create(resource, 'default', body, 'test')) throw new Error(`the lab refused the ${body.kind}`);
    }
    await this.lab.clock.sleep(60_000);
  }

  /** As root, past every guard. */
  async byHand<T>(work: (hand: ProxmoxClient) => Promise<T>): Promise<T> {
    const hand = connectProxmox({
      endpoints: [this.lab.endpoint],
      token: this.lab.token,
      tls: { kind: 'fingerprint', sha256: this.lab.fingerprint },
      clock: this.lab.clock,
      random: () => 0.5,
    });
    try {
      return await work(hand);
    } finally {
      await hand.close();
    }
  }

  /** What etcd holds now: one cluster, unless somebody made another. */
  get etcd() {
    return [...this.room.db.etcd.values()].map(({ id, revision, members }) => ({
      id,
      revision,
      members: members.map(({ id: member, name, learner }) => ({ id: member, name, learner })),
    }));
  }

  /** The lab stops; the folder stays, to be copied or opened again. */
  async close(): Promise<CliFolder> {
    await this.lab.stop();
    return this.folder;
  }

  async remove(): Promise<void> {
    (await this.close()).remove();
  }

  readonly #openLab: NonNullable<LabTarget['open']> = async () =>
    this.through({
      connection: {
        endpoints: [this.lab.endpoint],
        token: this.lab.token,
        tls: { kind: 'fingerprint', sha256: this.lab.fingerprint },
        ...(this.requestTimeoutMs !== undefined && { requestTimeoutMs: this.requestTimeoutMs }),
      },
      clock: this.lab.clock,
      dial: (ip, port) => this.lab.dial(ip, port),
      close: async () => {},
    });
}
