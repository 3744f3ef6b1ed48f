/**
 * CSI volumes in use under a real control plane: etcd, kube-apiserver, kube-controller-manager and kube-scheduler of the
 * PATH. Kubelets, driver and Proxmox are the lab's. The same on the simulated API: test/e2e/csi-in-use.test.ts.
 */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFolder, ended } from '../support/cli.js';
import { CSI_CONFIG, csiWorkload } from '../support/csi-workload.js';
import { realBinaries } from '../support/kubernetes-contract.js';

/** Addresses that no other test serves: they are the machine's loopback. */
const CONFIG = CSI_CONFIG.replaceAll('10.20.30.', '10.93.15.');
const binaries = realBinaries();
const missing = [
  ...(binaries ? [] : ['etcd and kube-apiserver']),
  ...(['kube-controller-manager', 'kube-scheduler'] as const).filter((name) => !binaries?.programs[name]),
];
const skipped = missing.length > 0 ? ` (skipped: no ${missing.join(', ')} on the PATH)` : '';

describe.skipIf(missing.length > 0)(`CSI volumes in use, with a real control plane${skipped}`, () => {
  let folder: CliFolder;
  const stop = new AbortController();
  let served: ReturnType<CliFolder['run']> | undefined;
  const env = { PATH: process.env.PATH ?? '' };
  const lab = (...args: string[]) => folder.run(['--lab', ...args], { env });

  async function kubectl(args: readonly string[], input?: unknown): Promise<string> {
    const kubeconfig = join(folder.path, '.oxherd/lab/stall/kubeconfig');
    const running = promisify(execFile)('kubectl', [...args], {
      env: { ...env, KUBECONFIG: kubeconfig, HOME: folder.path },
    });
    running.child.stdin?.end(input === undefined ? '' : JSON.stringify(input));
    return (await running).stdout;
  }
  const json = async <T>(...args: string[]): Promise<T[]> =>
    (JSON.parse(await kubectl(['get', '-o', 'json', ...args])) as { items: T[] }).items;

  const attached = async () =>
    (
      await json<{ spec: { source: { persistentVolumeName: string }; nodeName: string }; status: object }>(
        'volumeattachments',
      )
    )
      .filter(({ status }) => 'attached' in status && status.attached === true)
      .map(({ spec }) => `${spec.source.persistentVolumeName} on ${spec.nodeName}`)
      .sort();

  beforeAll(async () => {
    folder = CliFolder.make(CONFIG);
    const serve = ['lab', 'serve', '--kubernetes', 'real', '--port', '0', '--speed', '20'];
    served = folder.run([...serve, '--ready-file', 'ready.json'], { env, signal: stop.signal });
    const ready = join(folder.path, 'ready.json');
    for (let tries = 0; tries < 2400 && !existsSync(ready); tries += 1) await wait(50);
    ended(await lab('apply', '--yes'));
    ended(await lab('kubeconfig'));
  }, 600_000);
  afterAll(async () => {
    stop.abort();
    await served;
    folder.remove();
  });

  it('are decided by the real programs, not by the lab', async () => {
    // Accounts of its own for each controller, which the lab's do not have.
    await kubectl(['get', 'serviceaccount', '-n', 'kube-system', 'attachdetach-controller']);
    const instances = await kubectl(['get', 'events', '-A', '-o', 'jsonpath={.items[*].reportingInstance}']);
    expect(instances).toMatch(/default-scheduler-\S/);
    const files = readdirSync(join(folder.path, '.oxherd'), { recursive: true, encoding: 'utf8' });
    for (const name of ['kube-controller-manager.log', 'kube-scheduler.log'])
      expect(files.some((file) => file.endsWith(name))).toBe(true);
  });

  it('are attached on two nodes, and nothing is to plan', async () => {
    for (const [name, size] of [
      ['pv-data', '1Gi'],
      ['pv-data-old', '2Gi'],
    ] as const) {
      for (const object of csiWorkload(name, size)) await kubectl(['apply', '-f', '-'], object);
    }
    for (const name of ['pv-data', 'pv-data-old'])
      await kubectl(['wait', '--for=condition=Available', `deployment/${name}`, '--timeout=180s']);
    expect(await attached()).toEqual(['pv-data on work-1', 'pv-data-old on work-2']);
    expect(await lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
  });

  it('follow their pods through a restart of both nodes', { timeout: 600_000 }, async () => {
    const before = await json<{ metadata: { uid: string } }>('pods');
    ended(await lab('restart', 'work-1', 'work-2', '--yes'));
    for (const name of ['pv-data', 'pv-data-old'])
      await kubectl(['wait', '--for=condition=Available', `deployment/${name}`, '--timeout=180s']);
    const after = await json<{ metadata: { uid: string } }>('pods');
    const uids = new Set(after.map(({ metadata }) => metadata.uid));
    expect(before.some(({ metadata }) => uids.has(metadata.uid))).toBe(false);
    expect(await attached()).toEqual(['pv-data on work-1', 'pv-data-old on work-2']);
    expect(await lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
    const { stdout } = await lab('status', '--json');
    const { conditions } = JSON.parse(stdout) as { conditions: { name: string; state: string }[] };
    const failed = conditions.filter(({ state }) => state === 'failed').map(({ name }) => name);
    // The file's version is that of no program that happens to be on the PATH.
    expect(failed.filter((name) => name !== 'api-version')).toEqual([]);
  });

  it('grow by kubectl, and the plan stays empty', async () => {
    const more = JSON.stringify({ spec: { resources: { requests: { storage: '3Gi' } } } });
    await kubectl(['patch', 'pvc', 'pv-data', '--type=merge', '-p', more]);
    await kubectl(['wait', '--for=jsonpath={.status.capacity.storage}=3Gi', 'pvc/pv-data', '--timeout=120s']);
    const plan = await lab('plan', '--exit-code');
    expect(plan.stdout).toContain('volume pv-data has grown to 3GiB; oxherd.yaml says 1GiB');
    expect(plan.exit).toBe(0);
  });

  it('wait while an admission webhook is down, which the drain names', { timeout: 600_000 }, async () => {
    const webhook = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'evictions' },
      webhooks: [
        {
          name: 'evictions.example.org',
          clientConfig: { url: 'https://127.0.0.1:9/never' },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods/eviction'] },
          ],
          failurePolicy: 'Fail',
          sideEffects: 'None',
          timeoutSeconds: 1,
          admissionReviewVersions: ['v1'],
        },
      ],
    };
    await kubectl(['apply', '-f', '-'], webhook);
    folder.config = `${CONFIG}policy: { drain: { timeout: 10s } }\n`;
    const held = await lab('restart', 'work-1', '--yes');
    folder.config = CONFIG;
    expect(held.exit).toBe(1);
    expect(held.stdout + held.stderr).toMatch(
      /default\/pv-data-\S+: .*failed calling webhook "evictions\.example\.org"/,
    );
    expect(await attached()).toEqual(['pv-data on work-1', 'pv-data-old on work-2']);
    await kubectl(['delete', 'validatingwebhookconfiguration', 'evictions']);
    ended(await lab('restart', 'work-1', '--yes'));
    await kubectl(['wait', '--for=condition=Available', 'deployment/pv-data', '--timeout=180s']);
    expect(await attached()).toEqual(['pv-data on work-1', 'pv-data-old on work-2']);
  });
});
