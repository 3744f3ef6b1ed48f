/** The machine's own kubectl on the example cluster, served by the lab. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFolder, type CliResult } from '../support/cli.js';

const HOMELAB = fileURLToPath(new URL('../../examples/homelab/oxherd.yaml', import.meta.url));

interface Result {
  readonly exit: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(program: string, args: readonly string[], cwd: string, input?: string): Promise<Result> {
  const env = { ...process.env, HOME: cwd, KUBECONFIG: join(cwd, '.oxherd/lab/homelab_dev/kubeconfig') };
  return new Promise((resolve) => {
    const child = execFile(program, [...args], { cwd, env, timeout: 90_000 }, (error, stdout, stderr) =>
      resolve({ exit: error ? (child.exitCode ?? -1) : 0, stdout, stderr }),
    );
    child.stdin?.end(input ?? '');
  });
}

const present = await run('kubectl', ['version', '--client'], tmpdir());
const skipped = present.exit === 0 ? '' : ' (skipped: no kubectl on this machine)';

describe.skipIf(skipped !== '')(`kubectl on the example cluster${skipped}`, () => {
  let folder: CliFolder;
  const stop = new AbortController();
  let served: Promise<CliResult>;
  const lab = (...args: string[]) => folder.run(['--lab', '-c', HOMELAB, ...args]);
  const kubectl = (...args: string[]) => run('kubectl', args, folder.path);

  beforeAll(async () => {
    folder = CliFolder.make();
    expect(await lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
    const serve = ['lab', 'serve', '--port', '0', '--speed', '20', '--ready-file', 'ready.json'];
    served = folder.run(serve, { signal: stop.signal });
    const ready = join(folder.path, 'ready.json');
    for (let tries = 0; tries < 400 && !existsSync(ready); tries += 1) await wait(50);
    expect(await lab('kubeconfig')).toMatchObject({ exit: 0 });
  }, 240_000);
  afterAll(async () => {
    stop.abort();
    await served;
    folder.remove();
  });

  it('finds the VIP where the lab listens', async () => {
    const text = readFileSync(join(folder.path, '.oxherd/lab/homelab_dev/kubeconfig'), 'utf8');
    expect(text).toContain('server: https://127.20.30.40:6443');
  });

  it('explains the fields of a kind', async () => {
    const { exit, stdout } = await kubectl('explain', 'pods.spec.containers');
    expect(exit).toBe(0);
    expect(stdout).toContain('name\t<string> -required-');
    expect(stdout).toContain('ports\t<[]ContainerPort>');
  });

  it('lists six Ready nodes', async () => {
    const { exit, stdout } = await kubectl('get', 'nodes', '-o', 'wide');
    expect(exit).toBe(0);
    const rows = stdout.trim().split('\n').slice(1);
    expect(rows.map((row) => row.split(/\s+/).slice(0, 3).join(' '))).toEqual([
      ...['cp-1', 'cp-2', 'cp-3'].map((name) => `${name} Ready control-plane`),
      ...['work-1', 'work-2', 'work-3'].map((name) => `${name} Ready <none>`),
    ]);
    expect(stdout).toContain('Talos (v1.14.1)');
  });

  it('shows pods, nodes and volumes', async () => {
    const pods = await kubectl('-n', 'kube-system', 'get', 'pods');
    expect(pods.stdout).toMatch(/cilium-\w+\s+1\/1\s+Running/);
    const node = await kubectl('describe', 'node', 'work-1');
    expect(node.stdout).toContain('topology.kubernetes.io/zone=pve1');
    const volumes = await kubectl('get', 'pv');
    expect(volumes.stdout).toMatch(/pv-photos\s+20Gi\s+RWO\s+Retain\s+Available/);
  });

  it('applies, waits and drains', async () => {
    const manifest = JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'nginx:1.29' }] },
        },
      },
    });
    const applied = await run('kubectl', ['apply', '--server-side', '-f', '-'], folder.path, manifest);
    expect(applied).toMatchObject({ exit: 0, stdout: 'deployment.apps/web serverside-applied\n' });
    const waited = await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=60s');
    expect(waited).toMatchObject({ exit: 0, stdout: 'deployment.apps/web condition met\n' });
    const drained = await kubectl('drain', 'work-3', '--ignore-daemonsets', '--timeout=60s');
    expect(drained.exit, drained.stderr).toBe(0);
    expect(drained.stdout).toMatch(/node\/work-3 drained\n$/);
    expect((await kubectl('get', 'node', 'work-3')).stdout).toContain('Ready,SchedulingDisabled');

    const status = await lab('status', '--json');
    expect(status.exit).toBe(3);
    expect(status.stdout).toContain('it is cordoned: no pod is put there');
    expect((await kubectl('uncordon', 'work-3')).exit).toBe(0);
    expect(await lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
  });

  it('shows the CSI driver; without its DaemonSet status fails and names it, and apply brings it back', async () => {
    const driver = async () => {
      const { stdout } = await kubectl('get', 'pods', '-n', 'csi-proxmox');
      const rows = stdout.trim().split('\n').slice(1);
      return rows.map((row) =>
        row.replace(/^(proxmox-csi-plugin-(?:controller|node))-\S+/, '$1').split(/\s+/),
      );
    };
    const running = (await driver()).map(([name, ready, status]) => `${name} ${ready} ${status}`).sort();
    expect(running).toEqual([
      'proxmox-csi-plugin-controller 5/5 Running',
      ...Array.from({ length: 6 }, () => 'proxmox-csi-plugin-node 3/3 Running'),
    ]);
    const gone = ['delete', 'daemonset', '-n', 'csi-proxmox', 'proxmox-csi-plugin-node', '--timeout=60s'];
    expect(await kubectl(...gone)).toMatchObject({ exit: 0 });
    const status = await lab('status');
    expect(status.exit).toBe(3);
    expect(status.stdout).toMatch(
      /✗ .*csi-driver: there is no DaemonSet csi-proxmox\/proxmox-csi-plugin-node/,
    );
    expect((await lab('apply', '--yes')).exit).toBe(0);
    expect(await driver()).toHaveLength(7);
  });
});
