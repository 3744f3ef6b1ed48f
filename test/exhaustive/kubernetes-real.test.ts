/** The example cluster on a real Kubernetes API: `--kubernetes real`, with the etcd and kube-apiserver of the PATH. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFolder } from '../support/cli.js';
import { realBinaries } from '../support/kubernetes-contract.js';

const HOMELAB = fileURLToPath(new URL('../../examples/homelab/oxherd.yaml', import.meta.url));
const there = realBinaries() !== undefined;
const skipped = there ? '' : ' (skipped: no etcd and kube-apiserver on the PATH)';

describe.skipIf(!there)(`the example cluster on a real API${skipped}`, () => {
  let folder: CliFolder;
  const env = { PATH: process.env.PATH ?? '' };
  const lab = (...args: string[]) => folder.run(['--lab', '-c', HOMELAB, ...args], { env });

  beforeAll(async () => {
    folder = CliFolder.make();
    const applied = await lab('--kubernetes', 'real', 'apply', '--yes');
    expect(applied.stdout).toContain(' 0 failed, 0 not started');
    expect(applied).toMatchObject({ exit: 0, stderr: '' });
  });
  afterAll(() => folder.remove());

  it('finds its data again: there is nothing to do, and every node is Ready', async () => {
    expect((await lab('plan', '--exit-code')).exit).toBe(0);
    const { stdout } = await lab('status', '--json');
    const { conditions } = JSON.parse(stdout) as { conditions: { name: string; state: string }[] };
    const failed = conditions.filter(({ state }) => state === 'failed').map(({ name }) => name);
    // The file's version is that of no program that happens to be on the PATH.
    expect(failed.filter((name) => name !== 'api-version')).toEqual([]);
    expect(conditions.filter(({ name, state }) => name === 'node-ready' && state === 'ok')).toHaveLength(6);
  });

  it('stays real, and says so', async () => {
    const other = await lab('--kubernetes', 'simulated', 'plan');
    expect(other.exit).toBe(1);
    expect(other.stderr).toContain('the Kubernetes of this lab is real, not simulated');
  });

  it('rolls a node under the budgets of the real API', async () => {
    const { exit, stdout } = await lab('restart', 'work-2', '--yes');
    expect(stdout).toContain(' 0 failed, 0 not started');
    expect(exit).toBe(0);
  });

  it('serves kubectl', async () => {
    const stop = new AbortController();
    const serve = [
      '-c',
      HOMELAB,
      'lab',
      'serve',
      '--port',
      '0',
      '--speed',
      '20',
      '--ready-file',
      'ready.json',
    ];
    const served = folder.run(serve, { env, signal: stop.signal });
    try {
      const ready = join(folder.path, 'ready.json');
      for (let tries = 0; tries < 1200 && !existsSync(ready); tries += 1) await wait(50);
      expect(await lab('kubeconfig')).toMatchObject({ exit: 0 });
      const kubeconfig = join(folder.path, '.oxherd/lab/homelab_dev/kubeconfig');
      const kubectl = async (...args: string[]) =>
        (
          await promisify(execFile)('kubectl', args, {
            env: { ...env, KUBECONFIG: kubeconfig, HOME: folder.path },
          })
        ).stdout;
      expect((await kubectl('get', 'nodes')).match(/ Ready /g)).toHaveLength(6);
      expect(await kubectl('auth', 'can-i', 'create', 'pods')).toBe('yes\n');
      expect(await kubectl('create', 'token', 'default')).toMatch(/^ey/);
      await kubectl('create', 'deployment', 'web', '--image=web:1', '--replicas=2');
      await kubectl('wait', '--for=condition=Available', 'deployment/web', '--timeout=60s');
      await kubectl('drain', 'work-1', '--ignore-daemonsets', '--timeout=120s');
      expect(await kubectl('get', 'node', 'work-1')).toContain('Ready,SchedulingDisabled');
    } finally {
      stop.abort();
      await served;
    }
  });
});
