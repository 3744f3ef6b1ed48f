/** A fleet whose replicas are processes of their own, on a lab and a Kubernetes API that serve from this one. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { type KubernetesConnection, SECRETS } from '../../../src/clients/kubernetes/index.js';
import { installFleet } from '../../../src/controller/admin/fleet-admin.js';
import {
  API_VERSION,
  APPROVALS,
  CLUSTERS,
  type FleetObject,
  PLANS,
  RECONCILE_AT,
  SITES,
} from '../../../src/controller/api/group.js';
import { startControl } from '../../../src/lab/control.js';
import { type Lab, startLab } from '../../../src/lab/index.js';
import { publicNetwork } from '../../../src/lab/network.js';
import { labParts } from '../../../src/lab/parts.js';
import { folderState } from '../../../src/lab/state.js';
import { generateSecrets } from '../../../src/secrets/generate.js';
import { formatTalosSecrets } from '../../../src/secrets/talos-secrets.js';
import { wallClock } from '../../../src/session/connect/wall-clock.js';
import { worldOf } from '../../../src/session/lab/lab-world.js';
import { CliFolder, labFile } from '../cli.js';
import { smallFile } from '../small-file.js';
import { configOf } from '../vm-site.js';
import { type ManagementApi, startManagementApi } from './management-api.js';
import { FLEET_VALUES } from './values.js';

export const TEAM = 'team-a';
const OWN = 'oxherd-system';
/** By the wall, for a computer that has much else to do. */
const PATIENCE_MS = 240_000;
const LEASE = '6s';

export interface ReplicaProcess {
  readonly name: string;
  readonly pid: number;
  /** All that it has logged. */
  readonly log: () => readonly LogLine[];
  /** Once such a line was logged so often. */
  logged(what: string, matches: (line: LogLine) => boolean, times?: number): Promise<void>;
  kill(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT' | 'SIGTERM'): void;
  readonly ended: Promise<{ readonly exit: number; readonly stderr: string }>;
}

export interface LogLine {
  readonly message: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

let fleets = 0;

/**
 * Machines of a lab that serves listen on loopback under their own addresses: no two labs of this computer may share one, and
 * none is in the subnets of services (10.96.0.0/12) and pods (10.244.0.0/16).
 */
function ownAddresses(config: string): string {
  fleets += 1;
  return config.replaceAll('10.20.30.', `10.${113 + (process.pid % 130)}.${fleets % 250}.`);
}

export class ServedFleet {
  readonly #replicas: ReplicaProcess[] = [];
  #stopped = false;

  private constructor(
    readonly folder: CliFolder,
    readonly lab: Lab,
    readonly api: ManagementApi,
    readonly client: KubernetesConnection,
    private readonly close: () => Promise<void>,
  ) {}

  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    for (const { kill, ended } of this.#replicas) {
      kill('SIGKILL');
      await ended;
    }
    await this.close();
  }

  /** With a cluster `small` that is not built yet, and its Proxmox site. */
  static async start(): Promise<ServedFleet> {
    const text = ownAddresses(smallFile());
    const folder = CliFolder.make(text);
    const state = await folderState(join(folder.path, '.oxherd', 'lab'));
    const lab = await startLab({
      state,
      world: worldOf(configOf(text)),
      speed: 200,
      network: publicNetwork(),
      parts: labParts(),
    });
    const control = await startControl(lab);
    state.lock.announce(control);
    const api = await startManagementApi('simulated', wallClock);
    const client = await api.person('admin', ['system:masters']);
    await installFleet(client, { ...FLEET_VALUES, namespace: OWN, namespaces: [TEAM] });
    const token = await api.accountToken(OWN, 'oxherd-controller');
    folder.write('controller.kubeconfig', api.tokenKubeconfig(token, { namespace: OWN }));
    folder.write(
      'admin.kubeconfig',
      await api.kubeconfig('admin', { groups: ['system:masters'], namespace: TEAM }),
    );
    const close = async () => {
      await api.close();
      await control.close();
      await lab.stop();
      folder.remove();
    };
    const made = new ServedFleet(folder, lab, api, client, close);
    onTestFinished(() => made.stop());
    await made.#objects(text);
    return made;
  }

  async #objects(text: string): Promise<void> {
    const { client, lab } = this;
    const secret = (name: string, namespace: string, stringData: Record<string, string>) =>
      client.create(
        SECRETS,
        { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, stringData },
        namespace,
      );
    await secret('rack', OWN, { token: lab.token });
    const random = (length: number) => randomBytes(length);
    const bundle = formatTalosSecrets(await generateSecrets({ now: new Date(), random, rsaBits: 2048 }));
    await secret('given', TEAM, { 'secrets.yaml': bundle });
    await client.create(SITES, {
      apiVersion: API_VERSION,
      kind: SITES.kind,
      metadata: { name: 'rack' },
      spec: {
        endpoints: [lab.endpoint],
        fingerprint: lab.fingerprint,
        tokenSecretRef: { name: 'rack' },
        allowedNamespaces: [TEAM],
      },
    });
    const spec = { source: { inline: text }, siteRef: { name: 'rack' }, secretsRef: { name: 'given' } };
    await client.create(
      CLUSTERS,
      { apiVersion: API_VERSION, kind: CLUSTERS.kind, metadata: { name: 'small', namespace: TEAM }, spec },
      TEAM,
    );
  }

  replica(name: string): ReplicaProcess {
    const args = ['--lab', 'controller', '--kubeconfig', 'controller.kubeconfig', '--namespaces', TEAM];
    const more = ['--identity', name, '--lease', LEASE, '--work-dir', `work-${name}`];
    const ports = ['--listen', '127.0.0.1', '--health-port', '0', '--metrics-port', '0'];
    const { child, ended } = this.folder.spawn([...args, ...more, ...ports]);
    const lines: LogLine[] = [];
    let rest = '';
    child.stdout?.on('data', (chunk: string) => {
      const parts = (rest + chunk).split('\n');
      rest = parts.pop() ?? '';
      for (const line of parts) if (line.startsWith('{')) lines.push(JSON.parse(line));
    });
    const replica: ReplicaProcess = {
      name,
      pid: child.pid ?? 0,
      log: () => lines,
      ended,
      kill: (signal) => void child.kill(signal),
      logged: (what, matches, times = 1) =>
        until(
          `${name}: ${what}`,
          async () => lines.filter(matches).length >= times,
          () => tail(lines),
        ),
    };
    this.#replicas.push(replica);
    return replica;
  }

  /** Those that the first apply of the command line made. */
  async useSecretsOfPerson(): Promise<void> {
    const text = readFileSync(labFile(this.folder.path, 'secrets.yaml'), 'utf8');
    const at = { kind: 'merge', namespace: TEAM } as const;
    await this.client.patch(SECRETS, 'given', { stringData: { 'secrets.yaml': text } }, at);
  }

  cluster(): Promise<FleetObject | undefined> {
    return this.client.get(CLUSTERS, 'small', TEAM);
  }

  async ready(): Promise<string> {
    const found = status(await this.cluster()).conditions?.find(({ type }) => type === 'Ready');
    return found ? `${found.status} ${found.reason}: ${found.message}` : 'no condition';
  }

  async lookAgain(): Promise<void> {
    const metadata = { annotations: { [RECONCILE_AT]: new Date().toISOString() } };
    await this.client.patch(CLUSTERS, 'small', { metadata }, { kind: 'merge', namespace: TEAM });
  }

  untilReady(wanted: RegExp): Promise<void> {
    return until(
      `Ready is ${wanted}`,
      async () => wanted.test(await this.ready()),
      async () => [await this.ready(), ...(await this.#plans())].join('\n'),
    );
  }

  /** Each plan with its phase and its first steps. */
  async #plans(): Promise<string[]> {
    const plans = await this.client.list(PLANS, { namespace: TEAM });
    return plans.map(({ metadata, status: said }) => `${metadata?.name} ${JSON.stringify(said)}`);
  }

  /** Waits for the plan and says yes to it. */
  async approve(): Promise<void> {
    await this.untilReady(/AwaitingApproval/);
    const planId = status(await this.cluster()).plan?.planId ?? '';
    const expires = new Date(Date.now() + 3_600_000).toISOString();
    const spec = { clusterRef: { name: 'small' }, planId, approvedBy: 'admin', expires };
    const metadata = { name: `ok-${planId.slice(0, 12)}`, namespace: TEAM };
    await this.client.create(
      APPROVALS,
      { apiVersion: API_VERSION, kind: APPROVALS.kind, metadata, spec },
      TEAM,
    );
  }

  /** Tasks of the hosts by kind and guest, and requests that change something, by path: how often each. Locks are left out. */
  writes(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { upid } of this.lab.proxmox.pve.db.tasks.values()) {
      const [, host, , , , type, id = ''] = upid.split(':');
      const key = `task ${host} ${type} ${id}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    for (const [request, count] of this.lab.proxmox.requests().byPath)
      if (!/^GET |^\w+ \S*\/pools\b/.test(request)) counts.set(request, count);
    return counts;
  }
}

interface ShownStatus {
  readonly conditions?: readonly { type: string; status: string; reason: string; message: string }[];
  readonly plan?: { readonly planId: string };
}

function status(object: FleetObject | undefined): ShownStatus {
  return typeof object?.status === 'object' && object.status !== null ? object.status : {};
}

function tail(lines: readonly LogLine[]): string {
  return lines
    .slice(-8)
    .map((line) => JSON.stringify(line).slice(0, 400))
    .join('\n');
}

/** Polls: what is waited for happens in other processes. */
export async function until(
  what: string,
  holds: () => Promise<boolean>,
  state: () => Promise<string> | string = () => '',
): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!(await holds())) {
    if (Date.now() > deadline) expect.fail(`waited in vain until ${what}\n${await state()}`);
    await wait(50);
  }
}
