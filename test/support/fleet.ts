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
  SECRETS,
} from '../../src/clients/kubernetes/index.js';
import { loadConfig } from '../../src/config/load.js';
import { installFleet } from '../../src/controller/admin/fleet-admin.js';
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
import type { KubernetesKind } from '../../src/model/kubernetes-kind.js';
import { generateSecrets } from '../../src/secrets/generate.js';
import { formatTalosSecrets } from '../../src/secrets/talos-secrets.js';
import type { Place } from '../../src/session/context.js';
import { leasesOf, worldOf } from '../../src/session/lab/lab-world.js';
import { type ManagementApi, startManagementApi } from './fleet/management-api.js';
import { TestTime } from './fleet/test-time.js';
import { FLEET_VALUES } from './fleet/values.js';
import { Relays } from './relay.js';

export const NAMESPACE = 'team-a';
export const OWN_NAMESPACE = 'oxherd-system';

export class Fleet {
  readonly time = new TestTime();
  readonly logged: string[] = [];
  readonly metrics = new Metrics();

  readonly #relays: Relays[] = [];
  readonly #clients: KubernetesConnection[] = [];
  #approved = 0;
  #token = '';
  #asController: KubernetesConnection | undefined;

  private constructor(
    readonly lab: Lab,
    /** Of an administrator of the cluster that the fleet is on. */
    readonly client: KubernetesConnection,
    readonly api: ManagementApi,
    private readonly folder: string,
  ) {}

  static async start(configText: string, kind: KubernetesKind = 'simulated'): Promise<Fleet> {
    const { config } = loadConfig({ path: 'oxherd.yaml', text: configText, readText: () => undefined });
    if (!config) throw new Error('the config of this test is not valid');
    const lab = await startLab({ world: worldOf(config), parts: labParts({ leases: leasesOf(config) }) });
    const api = await startManagementApi(kind, lab.clock);
    const client = await api.person('admin', ['system:masters']);
    const fleet = new Fleet(lab, client, api, mkdtempSync(join(tmpdir(), 'oxherd-fleet-')));
    await fleet.#install();
    return fleet;
  }

  async #install(): Promise<void> {
    const { client, lab } = this;
    await installFleet(client, { ...FLEET_VALUES, namespace: OWN_NAMESPACE, namespaces: [NAMESPACE] });
    this.#token = await this.api.accountToken(OWN_NAMESPACE, 'oxherd-controller');
    this.#asController = this.api.connect(this.#token);
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

  /** Of the controller's service account. */
  get controllerToken(): string {
    return this.#token;
  }

  get asController(): KubernetesConnection {
    return this.#asController ?? this.client;
  }

  /** A replica; each has its own memory of leases. */
  replica(identity: string, more: Partial<ControllerContext> = {}): ControllerContext {
    const { time, metrics } = this;
    const client = this.asController;
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
      credentials: { ca: api.ca, token: () => this.#token },
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
  ): Promise<string> {
    const {
      expires = new Date(this.time.now() + 3_600_000).toISOString(),
      name = 'small',
      as = this.client,
      by = 'admin',
    } = options;
    this.#approved += 1;
    const metadata = { name: `ok-${planId.slice(0, 8)}-${this.#approved}`, namespace: NAMESPACE };
    await as.create(
      APPROVALS,
      {
        apiVersion: API_VERSION,
        kind: APPROVALS.kind,
        metadata,
        spec: { clusterRef: { name }, planId, approvedBy: by, expires },
      },
      NAMESPACE,
    );
    return metadata.name;
  }

  /** Name → what became of it; one that is open has none. */
  async approvalPhases(): Promise<Record<string, string | undefined>> {
    const all = await this.client.list(APPROVALS, { namespace: NAMESPACE });
    return Object.fromEntries(all.map((object) => [object.metadata.name, statusOf(object).phase]));
  }

  /** The token of the site, in its Secret. */
  async setToken(token: string): Promise<void> {
    const at = { kind: 'merge', namespace: OWN_NAMESPACE } as const;
    await this.client.patch(SECRETS, 'rack', { stringData: { token } }, at);
  }

  /** A person with one of the fleet's roles in the namespace of the clusters. */
  async person(name: string, role: string): Promise<KubernetesConnection> {
    const rbac = 'rbac.authorization.k8s.io';
    await this.client.apply({
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata: { name, namespace: NAMESPACE },
      ...{
        roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: role },
        subjects: [{ kind: 'User', name, apiGroup: rbac }],
      },
    });
    return this.api.person(name);
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
    await this.api.close();
    await this.lab.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

interface TestStatus {
  readonly conditions: readonly { type: string; status: string; reason: string; message: string }[];
  readonly phase?: string;
  readonly plan?: { readonly planId: string; readonly impact: string };
  readonly run?: { readonly planId: string };
}

export function statusOf(object: FleetObject | undefined): TestStatus {
  const status = object?.status;
  return { conditions: [], ...(typeof status === 'object' ? status : {}) };
}
