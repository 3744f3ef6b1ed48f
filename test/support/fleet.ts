/** A fleet on one lab: a simulated Kubernetes API with the fleet's kinds, a Proxmox, and replicas whose time is an argument. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CONFIG_MAPS,
  connectKubernetes,
  EVENTS,
  type KubernetesConnection,
  NAMESPACES,
  SECRETS,
} from '../../src/clients/kubernetes/index.js';
import { loadConfig } from '../../src/config/load.js';
import { customResourceDefinitions } from '../../src/controller/api/definitions.js';
import {
  API_VERSION,
  APPROVALS,
  CLUSTERS,
  type FleetObject,
  PLANS,
  SITES,
} from '../../src/controller/api/group.js';
import type { ControllerContext } from '../../src/controller/controller-context.js';
import { LeaseBook } from '../../src/controller/lease/lease-book.js';
import { reconcileCluster } from '../../src/controller/reconcile/reconcile-cluster.js';
import { jsonLog } from '../../src/controller/serve/log.js';
import { Metrics } from '../../src/controller/serve/metrics.js';
import { type Lab, labParts, startLab } from '../../src/lab/index.js';
import { startRecordingsKubernetes } from '../../src/lab/kubernetes/index.js';
import type { Clock } from '../../src/model/clock.js';
import { generateSecrets } from '../../src/secrets/generate.js';
import { formatTalosSecrets } from '../../src/secrets/talos-secrets.js';
import type { Place } from '../../src/session/context.js';
import { leasesOf, worldOf } from '../../src/session/lab/lab-world.js';
import { Relays } from './relay.js';

export const NAMESPACE = 'team-a';
export const OWN_NAMESPACE = 'oxherd-system';

/** The wall of a test: stands still until someone moves it. Nothing that sleeps on it wakes before. */
export class TestTime implements Clock {
  #now = Date.parse('2026-06-01T10:00:00Z');
  readonly #sleepers = new Set<{ at: number; wake: () => void }>();

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.add(sleeper);
      const stop = () => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      if (signal?.aborted) stop();
      else signal?.addEventListener('abort', stop, { once: true });
    });
  }

  pass(ms: number): void {
    this.#now += ms;
    for (const sleeper of [...this.#sleepers]) {
      if (sleeper.at > this.#now) continue;
      this.#sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  set(iso: string): void {
    this.pass(Date.parse(iso) - this.#now);
  }
}

export class Fleet {
  readonly time = new TestTime();
  readonly logged: string[] = [];
  readonly metrics = new Metrics();

  readonly #relays: Relays[] = [];
  readonly #clients: KubernetesConnection[] = [];

  private constructor(
    readonly lab: Lab,
    readonly client: KubernetesConnection,
    /** A user without rights but those a test gives. */
    readonly viewer: KubernetesConnection,
    private readonly folder: string,
    private readonly api: { readonly endpoint: string; readonly ca: string; readonly token: string },
    private readonly closeApi: () => Promise<void>,
  ) {}

  static async start(configText: string): Promise<Fleet> {
    const { config } = loadConfig({ path: 'oxherd.yaml', text: configText, readText: () => undefined });
    if (!config) throw new Error('the config of this test is not valid');
    const lab = await startLab({ world: worldOf(config), parts: labParts({ leases: leasesOf(config) }) });
    const api = await startRecordingsKubernetes(lab.core);
    const { endpoint, ca, token, viewerToken } = api.ready;
    const connect = (as: string) =>
      connectKubernetes({ clock: lab.clock, endpoints: [endpoint], credentials: { ca, token: () => as } });
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-fleet-'));
    const fleet = new Fleet(lab, connect(token), connect(viewerToken), folder, api.ready, () => api.close());
    await fleet.#install();
    return fleet;
  }

  async #install(): Promise<void> {
    const { client, lab } = this;
    for (const definition of customResourceDefinitions()) await client.apply(definition, { force: true });
    for (const name of [NAMESPACE, OWN_NAMESPACE])
      await client.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await client.create(
      SECRETS,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'rack', namespace: OWN_NAMESPACE },
        stringData: { token: lab.token },
      },
      OWN_NAMESPACE,
    );
    await client.create(SITES, {
      apiVersion: API_VERSION,
      kind: SITES.kind,
      metadata: { name: 'rack' },
      spec: {
        endpoints: [lab.endpoint],
        fingerprint: lab.fingerprint,
        tokenSecretRef: { name: 'rack' },
        allowedNamespaces: [NAMESPACE],
      },
    });
  }

  /** A replica; each has its own memory of leases. */
  replica(identity: string, more: Partial<ControllerContext> = {}): ControllerContext {
    const { client, time, metrics } = this;
    return {
      client,
      time,
      identity,
      fleet: 'test-fleet',
      namespace: OWN_NAMESPACE,
      namespaces: [NAMESPACE],
      workFolder: join(this.folder, identity),
      authority: this.api.ca,
      targetFor: () => ({ kind: 'lab', open: async () => this.place() }),
      leases: new LeaseBook({ client, time, identity, durationMs: 15_000 }),
      log: jsonLog(
        (line) => this.logged.push(line),
        () => time.now(),
      ),
      metrics,
      signal: new AbortController().signal,
      ...more,
    };
  }

  /**
   * A replica that dies: when a line of its log matches, all its connections are cut, to Kubernetes, Proxmox and machines, in
   * the middle of whatever they carry.
   */
  async mortal(
    identity: string,
    diesAt: (line: string) => boolean,
    cuts: 'all' | 'kubernetes' | 'proxmox' = 'all',
  ): Promise<{ readonly context: ControllerContext; readonly isCut: () => boolean }> {
    const [kubernetes, proxmox] = [await Relays.open(1), await Relays.open(24)];
    this.#relays.push(kubernetes, proxmox);
    const through = (relays: Relays, url: string) => {
      const { hostname, port } = new URL(url);
      return `https://127.0.0.1:${relays.to(hostname, Number(port))}`;
    };
    const { time, api } = this;
    const client = connectKubernetes({
      clock: this.lab.clock,
      endpoints: [through(kubernetes, api.endpoint)],
      credentials: { ca: api.ca, token: () => api.token },
    });
    this.#clients.push(client);
    const endpoint = through(proxmox, this.lab.endpoint);
    const place = this.place();
    const open = async (): Promise<Place> => ({
      ...place,
      connection: { ...place.connection, endpoints: [endpoint], requestTimeoutMs: 5_000 },
      dial: (ip, port) => {
        const to = proxmox.cut ? undefined : place.dial?.(ip, port);
        return to && { host: '127.0.0.1', port: proxmox.to(to.host, to.port) };
      },
    });
    let isCut = false;
    const log = jsonLog(
      (line) => {
        this.logged.push(line);
        if (isCut || !diesAt(line)) return;
        isCut = true;
        if (cuts !== 'proxmox') kubernetes.sever();
        if (cuts !== 'kubernetes') proxmox.sever();
        // While the API is away nothing is renewed.
        if (cuts === 'kubernetes') time.pass(300_000);
      },
      () => time.now(),
    );
    const leases = new LeaseBook({ client, time, identity, durationMs: 15_000 });
    const target = { kind: 'lab' as const, open };
    return {
      isCut: () => isCut,
      context: this.replica(identity, { client, leases, log, targetFor: () => target }),
    };
  }

  place(): Place {
    const { lab } = this;
    return {
      connection: {
        endpoints: [lab.endpoint],
        token: lab.token,
        tls: { kind: 'fingerprint', sha256: lab.fingerprint },
      },
      clock: lab.clock,
      dial: (ip, port) => lab.dial(ip, port),
      close: async () => {},
    };
  }

  async setConfig(text: string, name = 'small'): Promise<void> {
    await this.client.apply({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: NAMESPACE },
      ...{ data: { 'oxherd.yaml': text } },
    });
  }

  async createCluster(spec: Readonly<Record<string, unknown>> = {}, name = 'small'): Promise<void> {
    await this.client.create(
      CLUSTERS,
      {
        apiVersion: API_VERSION,
        kind: CLUSTERS.kind,
        metadata: { name, namespace: NAMESPACE },
        spec: { source: { configMap: { name } }, siteRef: { name: 'rack' }, ...spec },
      },
      NAMESPACE,
    );
  }

  async changeCluster(spec: Readonly<Record<string, unknown>>, name = 'small'): Promise<void> {
    await this.client.patch(CLUSTERS, name, { spec }, { kind: 'merge', namespace: NAMESPACE });
  }

  reconcile(replica: ControllerContext, name = 'small') {
    return reconcileCluster(replica, NAMESPACE, name);
  }

  async approve(
    planId: string,
    options: {
      readonly expires?: string;
      readonly name?: string;
      readonly as?: KubernetesConnection;
      readonly by?: string;
    } = {},
  ): Promise<void> {
    const {
      expires = new Date(this.time.now() + 3_600_000).toISOString(),
      name = 'small',
      as = this.client,
      by = 'admin',
    } = options;
    await as.create(
      APPROVALS,
      {
        apiVersion: API_VERSION,
        kind: APPROVALS.kind,
        metadata: { name: `ok-${planId.slice(0, 8)}-${this.time.now()}`, namespace: NAMESPACE },
        spec: { clusterRef: { name }, planId, approvedBy: by, expires },
      },
      NAMESPACE,
    );
  }

  cluster(name = 'small'): Promise<FleetObject | undefined> {
    return this.client.get(CLUSTERS, name, NAMESPACE);
  }

  /** Conditions as `Ready=False AwaitingApproval`. */
  async conditions(name = 'small'): Promise<Record<string, string>> {
    const { conditions } = statusOf(await this.cluster(name));
    return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
  }

  async message(type: string, name = 'small'): Promise<string> {
    const { conditions } = statusOf(await this.cluster(name));
    return conditions.find((condition) => condition.type === type)?.message ?? '';
  }

  async planId(name = 'small'): Promise<string> {
    return statusOf(await this.cluster(name)).plan?.planId ?? '';
  }

  plans(): Promise<FleetObject[]> {
    return this.client.list(PLANS, { namespace: NAMESPACE });
  }

  async eventReasons(): Promise<string[]> {
    const events = await this.client.list(EVENTS, { namespace: NAMESPACE });
    return events.map(({ reason }) => reason ?? '');
  }

  configMap(name = 'small') {
    return this.client.get(CONFIG_MAPS, name, NAMESPACE);
  }

  /** A bundle with a short RSA key: making a long one takes a second. */
  async giveSecrets(name = 'given'): Promise<void> {
    const bundle = await generateSecrets({
      now: new Date(),
      random: (length) => randomBytes(length),
      rsaBits: 2048,
    });
    await this.client.create(
      SECRETS,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: NAMESPACE },
        stringData: { 'secrets.yaml': formatTalosSecrets(bundle) },
      },
      NAMESPACE,
    );
  }

  /** How often each VM was created, by the hosts' own task logs: once, or two writers were at it. */
  creations(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { upid } of this.lab.proxmox.pve.db.tasks.values()) {
      const [, , , , , type, id = ''] = upid.split(':');
      if (type === 'qmcreate') counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    return counts;
  }

  async stop(): Promise<void> {
    for (const relays of this.#relays) relays.close();
    for (const client of this.#clients) await client.close();
    await this.client.close();
    await this.viewer.close();
    await this.closeApi();
    await this.lab.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface TestStatus {
  readonly conditions: readonly { type: string; status: string; reason: string; message: string }[];
  readonly plan?: { readonly planId: string; readonly impact: string };
  readonly run?: { readonly planId: string };
}

export function statusOf(object: FleetObject | undefined): TestStatus {
  const status = object?.status;
  return { conditions: [], ...(typeof status === 'object' ? status : {}) };
}
