/** One Kubernetes cluster of the lab, on its own API or on a real one: what is tried on it holds for both. */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { connectKubernetes, type KubernetesClient } from '../../src/clients/kubernetes/index.js';
import { type CertificateAndKey, createAuthority, issue } from '../../src/lab/kubernetes/certificates.js';
import { type KubernetesLab, startKubernetes } from '../../src/lab/kubernetes/index.js';
import { type Binaries, findBinaries, startRealKubernetes } from '../../src/lab/kubernetes/real/index.js';
import type { LabCore } from '../../src/lab/lab.js';
import type { KubernetesKind } from '../../src/model/kubernetes-kind.js';
import { drivenCore, testNode } from './lab/kubernetes/testing.js';

export const ENDPOINT = '10.20.30.41';
/** Lab time after which a new cluster has its pods running and its accounts. */
const SETTLED = 60_000;
const TAINT = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

/** `undefined`: etcd and kube-apiserver are not on the PATH, and what needs them is skipped. */
export function realBinaries(): Binaries | undefined {
  try {
    return findBinaries(process.env.PATH ?? '');
  } catch {
    return undefined;
  }
}

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The texts of `Warning:` headers, where there are any. */
  readonly warnings?: string;
}

export interface Asked {
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
  /** `anonymous` shows no certificate; any other text is a bearer token. */
  readonly as?: string;
}

export interface ContractCluster {
  readonly client: KubernetesClient;
  readonly lab: KubernetesLab;
  readonly core: LabCore;
  /** Writes of the controllers that the API server refused. */
  readonly refused: readonly string[];
  send(method: string, path: string, asked?: Asked): Promise<Answer>;
  /** The events of a watch until `count` have come, or the server ended it. */
  watch(path: string, count: number): Promise<Readonly<Record<string, unknown>>[]>;
  /** Lab time passes. */
  pass(seconds: number): Promise<void>;
  /** The controllers come to rest and do nothing from now on: what is answered is the API's alone. */
  freeze(): Promise<void>;
  close(): Promise<void>;
}

export async function startContractCluster(
  kind: KubernetesKind,
  options: { readonly ips?: readonly string[] } = {},
): Promise<ContractCluster> {
  const core = drivenCore();
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-contract-'));
  const refused: string[] = [];
  const binaries = realBinaries();
  if (kind === 'real' && !binaries) throw new Error('etcd and kube-apiserver are not on the PATH');
  const lab =
    kind === 'real' && binaries
      ? // The API is compared: what controllers make of objects is the lab's on both sides.
        startRealKubernetes(
          core,
          { binaries: { ...binaries, programs: {} }, folder },
          { notice: (text) => refused.push(text) },
        )
      : startKubernetes(core);
  const authority = await createAuthority('kubernetes');
  lab.feed.cluster({ authority, version: 'v1.36.0', cni: 'flannel', kubeProxy: true, coreDns: true });
  lab.feed.nodeUp(testNode('cp-1', 41, { controlPlane: true, taints: [TAINT] }));
  for (const number of [1, 2]) lab.feed.nodeUp(testNode(`work-${number}`, 50 + number));
  for (const ip of options.ips ?? [ENDPOINT]) await lab.feed.apiServerUp(ip);
  const admin = await issue(authority, {
    commonName: 'admin',
    organizations: ['system:masters'],
    usage: 'client',
  });
  const client = connectKubernetes({
    endpoints: options.ips ?? [ENDPOINT],
    credentials: { ca: authority.certificate, ...admin },
    dial: (ip, port) => core.network.dial(ip, port),
    clock: core.clock,
  });
  const door = doorOf(core, authority.certificate, admin);
  return {
    client,
    lab,
    core,
    refused,
    send: door.send,
    watch: door.watch,
    pass: (seconds) => core.clock.sleep(seconds * 1000),
    async freeze() {
      await core.clock.sleep(SETTLED);
      core.clock.stop();
      // What the last round sent is still on its way to a real API.
      await lab.objects.settle?.();
    },
    async close() {
      door.close();
      await client.close();
      await lab.close();
      core.clock.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function doorOf(core: LabCore, ca: string, admin: CertificateAndKey) {
  // One handshake for each user, not for each request.
  const agents = new Map<string, Agent>();
  const agentOf = (as = 'admin') => {
    const agent = agents.get(as) ?? new Agent({ keepAlive: true, maxSockets: 4 });
    agents.set(as, agent);
    return agent;
  };
  const options = (path: string, as?: string) => ({
    ...core.network.dial(ENDPOINT, 6443),
    path,
    ca: [ca],
    servername: 'kubernetes',
    agent: agentOf(as),
    ...(as === undefined ? { cert: admin.certificate, key: admin.key } : {}),
  });
  return {
    send: (method: string, path: string, { body, type, accept, as }: Asked = {}) =>
      new Promise<Answer>((resolve, reject) => {
        const text = body === undefined ? '' : JSON.stringify(body);
        const headers = {
          accept: accept ?? 'application/json',
          ...(body === undefined
            ? {}
            : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(text) }),
          ...(as === undefined || as === 'anonymous' ? {} : { authorization: `Bearer ${as}` }),
        };
        const asked = request({ ...options(path, as), method, headers }, (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('end', () => {
            const said = Buffer.concat(chunks).toString('utf8');
            const { warning } = response.headers;
            resolve({
              status: response.statusCode ?? 0,
              body: said.startsWith('{') ? JSON.parse(said) : {},
              ...(warning === undefined ? {} : { warnings: warning }),
            });
          });
        });
        asked.on('error', reject);
        asked.end(text);
      }),
    watch: (path: string, count: number) =>
      new Promise<Readonly<Record<string, unknown>>[]>((resolve, reject) => {
        const events: Readonly<Record<string, unknown>>[] = [];
        const asked = request({ ...options(path), agent: false }, (response) => {
          const lines = createInterface({ input: response });
          lines.on('error', () => {});
          lines.on('line', (line) => {
            events.push(JSON.parse(line));
            if (events.length < count) return;
            asked.destroy();
            resolve(events);
          });
          lines.once('close', () => resolve(events));
        });
        asked.on('error', reject);
        asked.end();
      }),
    close: () => {
      for (const agent of agents.values()) agent.destroy();
    },
  };
}
