/** The Kubernetes API that a fleet lives on, the lab's own or a real one: people come with certificates, programs with tokens. */
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectKubernetes, type KubernetesConnection } from '../../../src/clients/kubernetes/index.js';
import { createAuthority, issue } from '../../../src/lab/kubernetes/certificates.js';
import { startKubernetes } from '../../../src/lab/kubernetes/index.js';
import { startRealKubernetes } from '../../../src/lab/kubernetes/real/index.js';
import type { Clock } from '../../../src/model/clock.js';
import type { KubernetesKind } from '../../../src/model/kubernetes-kind.js';
import { realBinaries } from '../kubernetes-contract.js';
import { testCore } from '../lab/kubernetes/testing.js';

const ADDRESS = '10.20.30.200';

export interface ManagementApi {
  /** `https://127.0.0.1:PORT` */
  readonly endpoint: string;
  readonly ca: string;
  /** A person: the certificate's name, and its groups. */
  person(name: string, groups?: readonly string[]): Promise<KubernetesConnection>;
  /** The same person's kubeconfig, for kubectl and for processes. */
  kubeconfig(name: string, options?: KubeconfigOptions): Promise<string>;
  /** A program's kubeconfig. */
  tokenKubeconfig(token: string, options?: KubeconfigOptions): string;
  /** A token of a service account, as its pods are given. */
  accountToken(namespace: string, name: string): Promise<string>;
  connect(token: string): KubernetesConnection;
  close(): Promise<void>;
}

interface KubeconfigOptions {
  readonly groups?: readonly string[];
  readonly namespace?: string;
  /** Another way to it, such as a relay. */
  readonly endpoint?: string;
}

export async function startManagementApi(kind: KubernetesKind, clock: Clock): Promise<ManagementApi> {
  const core = testCore();
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-management-'));
  const binaries = realBinaries();
  if (kind === 'real' && !binaries) throw new Error('etcd and kube-apiserver are not on the PATH');
  const cluster =
    kind === 'real' && binaries
      ? startRealKubernetes(core, { binaries: { ...binaries, programs: {} }, folder })
      : startKubernetes(core);
  const authority = await createAuthority('kubernetes');
  const ca = authority.certificate;
  cluster.feed.cluster({ authority, version: 'v1.36.0', cni: 'none', kubeProxy: false, coreDns: false });
  await cluster.feed.apiServerUp(ADDRESS);
  const at = core.network.dial(ADDRESS, 6443);
  if (!at) throw new Error('the API has no port');
  const endpoint = `https://${at.host}:${at.port}`;
  const open: KubernetesConnection[] = [];
  const connect = (credentials: Parameters<typeof connectKubernetes>[0]['credentials']) => {
    const client = connectKubernetes({ clock, endpoints: [endpoint], credentials });
    open.push(client);
    return client;
  };
  const papers = (name: string, groups: readonly string[]) =>
    issue(authority, { commonName: name, organizations: [...groups], usage: 'client' });
  const admin = await papers('admin', ['system:masters']);
  return {
    endpoint,
    ca,
    person: async (name, groups = []) => connect({ ca, ...(await papers(name, groups)) }),
    kubeconfig: async (name, options = {}) => {
      const { certificate, key } = await papers(name, options.groups ?? []);
      const user = { 'client-certificate-data': encoded(certificate), 'client-key-data': encoded(key) };
      return kubeconfigText({ endpoint, ca, ...options }, user);
    },
    tokenKubeconfig: (token, options = {}) => kubeconfigText({ endpoint, ca, ...options }, { token }),
    accountToken: async (namespace, name) =>
      tokenOf(await postToken({ ...at, ca, ...admin }, namespace, name)),
    connect: (token) => connect({ ca, token: () => token }),
    async close() {
      for (const client of open) await client.close();
      await cluster.close();
      core.clock.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const encoded = (text: string) => Buffer.from(text).toString('base64');

function kubeconfigText(
  { endpoint, ca, namespace = 'default' }: KubeconfigOptions & { readonly ca: string },
  user: Readonly<Record<string, string>>,
): string {
  const cluster = { server: endpoint, 'certificate-authority-data': encoded(ca) };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'fleet', cluster }],
    users: [{ name: 'me', user }],
    contexts: [{ name: 'fleet', context: { cluster: 'fleet', user: 'me', namespace } }],
    'current-context': 'fleet',
  });
}

interface Door {
  readonly host: string;
  readonly port: number;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

function postToken(
  { host, port, ca, certificate, key }: Door,
  namespace: string,
  name: string,
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 7200 },
  };
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const asked = request(
      { host, port, path, method: 'POST', ca: [ca], cert: certificate, key, headers },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('end', () => resolve(text));
      },
    );
    asked.on('error', reject);
    asked.end(JSON.stringify(body));
  });
}

function tokenOf(answer: string): string {
  const { status }: { status?: { token?: string } } = JSON.parse(answer);
  if (status?.token === undefined) throw new Error(`no token: ${answer}`);
  return status.token;
}
