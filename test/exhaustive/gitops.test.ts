/** The hand-over to Flux or Argo CD: one apply installs it with its first repository, and waits until it is applied. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFIG_MAPS, DEPLOYMENTS, SECRETS } from '../../src/clients/kubernetes/resources.js';
import { CliFolder } from '../support/cli.js';
import { withCluster } from '../support/cluster.js';

const NODE = '10.20.30.41';
const KEY =
  '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEtZm9yLXRlc3Rz\n-----END OPENSSH PRIVATE KEY-----\n';
const TOKEN = 'glpat-not-a-real-token-1234567890';

const config = (gitops: string) => `
cluster: { name: small, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254 }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: ${NODE}, vmid: 141 }
kubernetes:
${gitops}
policy: { outage: allow }
`;
const flux = (version: string, more = '', url = 'ssh://git@git.lan/infra/cluster.git') =>
  config(`  gitops:
    flux:
      version: ${version}
      ${more}
      source: { url: "${url}", path: clusters/small, key: "file:deploy-key", knownHosts: known_hosts }`);
const argocd = (url: string) =>
  config(`  gitops:
    argocd:
      version: v3.5.6
      source: { url: "${url}", username: bot, password: "env:GIT_TOKEN" }`);

function folderWith(text: string): CliFolder {
  const folder = CliFolder.make(text);
  folder.write('deploy-key', KEY);
  folder.write('known_hosts', 'git.lan ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAfu\n');
  return folder;
}

/** Every file of the folder but the key itself and the state of the lab, which is the cluster's own. */
function writtenFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) =>
      name !== 'deploy-key' &&
      !name.startsWith(join('.oxherd', 'lab', 'state')) &&
      statSync(join(folder, name)).isFile(),
  );
}

describe('Flux', () => {
  let folder: CliFolder;
  const printed: string[] = [];
  const lab = async (...args: string[]) => {
    const result = await folder.lab(...args);
    printed.push(result.stdout, result.stderr);
    return result;
  };
  const inCluster = <T>(work: Parameters<typeof withCluster<T>>[2]) => withCluster(folder, NODE, work);

  beforeAll(async () => {
    folder = folderWith(flux('v2.9.5'));
    const plan = await lab('plan', '--json', '--out', 'first.plan');
    expect(plan.exit).toBe(0);
    expect(await lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
  });
  afterAll(() => folder.remove());

  it('runs, and has applied its repository', async () => {
    expect((await lab('plan')).stdout).toBe('No changes. The cluster matches oxherd.yaml.\n');
    const status = await lab('status', '-a');
    expect(status.stdout).toContain('Flux v2.9.5');
    expect(status.stdout).toContain('Applied revision: main@sha1:');
    await inCluster(async ({ kubernetes }) => {
      const secret = await kubernetes.get(SECRETS, 'oxherd', 'flux-system');
      expect(Object.keys(secret?.data ?? {}).sort()).toEqual(['identity', 'known_hosts']);
      expect(Buffer.from(secret?.data?.identity ?? '', 'base64').toString()).toBe(KEY);
    });
  });

  it('is upgraded by a new version, and refused where the manifest is not the pinned one', async () => {
    folder.config = flux('v2.10.0', `sha256: ${'ab'.repeat(32)}`);
    const refused = await lab('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stderr + refused.stdout).toMatch(
      /not the one that oxherd.yaml pins[\s\S]*hashes to [0-9a-f]{64}/,
    );
    folder.config = flux('v2.10.0');
    const plan = await lab('plan');
    expect(plan.stdout).toMatch(/upgrade Flux v2\.10\.0/);
    expect(plan.stdout).toContain('v2.9.5 → v2.10.0');
    expect(await lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
    await inCluster(async ({ kubernetes }) => {
      const controller = await kubernetes.get(DEPLOYMENTS, 'source-controller', 'flux-system');
      expect(controller?.spec?.template.spec?.containers[0]?.image).toBe(
        'ghcr.io/fluxcd/source-controller:v2.10.0',
      );
    });
  });

  it('fails with the message of Flux where the repository cannot be fetched, and status keeps saying so', async () => {
    folder.config = flux('v2.10.0', '', 'ssh://git@git.invalid/infra/cluster.git');
    const failed = await lab('apply', '--yes');
    expect(failed.exit).toBe(1);
    expect(failed.stdout + failed.stderr).toMatch(
      /GitRepository flux-system\/oxherd: .*lookup git\.invalid: no such host/,
    );
    const status = await lab('status');
    expect(status.exit).not.toBe(0);
    expect(status.stdout).toContain('no such host');
    folder.config = flux('v2.10.0');
    expect(await lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
  });

  it('stays in the cluster when it leaves oxherd.yaml', async () => {
    folder.config = config('  manifests: []');
    const plan = await lab('plan');
    expect(plan.stdout).toMatch(/Flux is no longer in oxherd\.yaml and is left in the cluster/);
    expect(plan.stdout).not.toMatch(/^\s*[-~+] /m);
  });

  it('has its key nowhere but in the cluster', () => {
    const secret = KEY.split('\n')[1] ?? '';
    expect(printed.join('\n')).not.toContain(secret);
    const encoded = Buffer.from(KEY).toString('base64');
    for (const name of writtenFiles(folder.path)) {
      if (name.startsWith(join('.oxherd', 'lab'))) continue;
      const text = readFileSync(join(folder.path, name), 'utf8');
      expect(text.includes(secret) || text.includes(encoded), name).toBe(false);
    }
    const runs = writtenFiles(folder.path).filter((name) => name.includes('runs'));
    expect(runs.length).toBeGreaterThan(0);
    for (const name of runs) expect(readFileSync(join(folder.path, name), 'utf8')).not.toContain(secret);
  });
});

describe('Argo CD', () => {
  it('is installed into its own namespace, with the login of its repository', async () => {
    const folder = folderWith(argocd('https://git.lan/infra/cluster.git'));
    try {
      const env = { GIT_TOKEN: TOKEN };
      const applied = await folder.run(['--lab', 'apply', '--yes'], { env });
      expect(applied).toMatchObject({ exit: 0, stderr: '' });
      expect(applied.stdout).not.toContain(TOKEN);
      const plan = await folder.run(['--lab', 'plan', '--json'], { env });
      expect(plan.stdout).not.toContain(TOKEN);
      expect(JSON.parse(plan.stdout)).toMatchObject({ steps: [] });
      const status = await folder.run(['--lab', 'status', '-a'], { env });
      expect(status.stdout).toContain('Synced, Healthy');
      await withCluster(folder, NODE, async ({ kubernetes }) => {
        const secret = await kubernetes.get(SECRETS, 'oxherd', 'argocd');
        expect(secret?.metadata?.labels).toMatchObject({ 'argocd.argoproj.io/secret-type': 'repository' });
        expect(Buffer.from(secret?.data?.password ?? '', 'base64').toString()).toBe(TOKEN);
        expect(await kubernetes.get(CONFIG_MAPS, 'argocd-ssh-known-hosts-cm', 'argocd')).toBeDefined();
      });
      const missing = await folder.lab('plan');
      expect(missing.exit).toBe(1);
      expect(missing.stderr).toContain('GIT_TOKEN is not set');
    } finally {
      folder.remove();
    }
  });
});
