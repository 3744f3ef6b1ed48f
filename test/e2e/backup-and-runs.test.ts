/** What stays behind: snapshots of etcd, the journal of every run, and drift that people made. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CliFolder, labFile } from '../support/cli.js';
import { smallCluster } from '../support/configs.js';

const FILE = smallCluster({ controlPlanes: 1, workers: 1, hosts: ['pve1'] });

let folder: CliFolder;
beforeAll(async () => {
  folder = CliFolder.make(FILE);
  expect((await folder.lab('apply', '--yes')).exit).toBe(0);
});
afterAll(() => folder.remove());

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

describe('etcd backup', () => {
  it('writes a whole snapshot, private, under its time, and says its hash', async () => {
    const { exit, stdout } = await folder.lab('etcd', 'backup', '--json');
    expect(exit).toBe(0);
    const said: { path: string; size: number; sha256: string; node: string } = JSON.parse(stdout);
    expect(said.path).toMatch(/\.oxherd\/lab\/small\/etcd-\d{8}T\d{6}Z\.snapshot$/);
    const bytes = readFileSync(said.path);
    expect(said).toMatchObject({
      size: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      node: 'cp-1',
    });
    expect(createHash('sha256').update(bytes.subarray(0, -32)).digest().equals(bytes.subarray(-32))).toBe(
      true,
    );
    expect(statSync(said.path).mode & 0o777).toBe(0o600);
  });

  it('on a schedule takes one when it is due, and a drill shows that it can be restored', async () => {
    const copy = folder.copy();
    try {
      const backup = async () =>
        JSON.parse((await copy.lab('etcd', 'backup', '--every', '6h', '--out', 'dir', '--json')).stdout);
      const first = await backup();
      expect(first.path).toMatch(/\/dir\/small\/etcd-\d{8}T\d{6}Z\.snapshot$/);
      expect(await backup()).toMatchObject({ path: first.path, taken: false });
      const drill = await copy.run(['etcd', 'verify', first.path, '--json']);
      const { sha256 } = first;
      expect(JSON.parse(drill.stdout)).toMatchObject({ sha256, members: [{ name: 'cp-1' }] });
      const { keys, lab, objects } = JSON.parse(drill.stdout);
      expect(lab.objects).toBe(keys);
      expect(objects.minions).toBe(2);
      const bytes = readFileSync(first.path);
      bytes[5_000] = (bytes[5_000] ?? 0) ^ 1;
      writeFileSync(first.path, bytes);
      expect((await copy.run(['etcd', 'verify', first.path])).exit).toBe(1);
    } finally {
      copy.remove();
    }
  });

  it('fails with what to do, and leaves the last snapshot, while no control plane answers', async () => {
    const copy = folder.copy();
    try {
      const out = join(copy.path, 'backup', 'etcd.snapshot');
      const first = await copy.lab('etcd', 'backup', '--out', 'backup/etcd.snapshot');
      expect(first).toMatchObject({ exit: 0, stdout: expect.stringContaining(`wrote ${out}`) });
      const kept = readFileSync(out);
      await copy.withLab(async ({ hand }) => {
        await hand.runTask(() => hand.stopVm('pve1', 141));
      });
      const second = await copy.lab('etcd', 'backup', '--out', 'backup/etcd.snapshot');
      expect(second.exit).toBe(1);
      expect(second.stderr).toMatch(/no control plane has a healthy etcd \(cp-1: /);
      expect(second.stderr).toMatch(/next {2}look at `oxherd --lab status`/);
      expect(readFileSync(out).equals(kept)).toBe(true);
      expect(readdirSync(join(copy.path, 'backup')).sort()).toEqual(['etcd.snapshot', 'etcd.snapshot.json']);
    } finally {
      copy.remove();
    }
  });
});

describe('a lost secrets file', () => {
  it('comes back from a running control plane, with the talosconfig that is there', async () => {
    const copy = folder.copy();
    try {
      const path = labFile(copy.path, 'secrets.yaml');
      const secrets = readFileSync(path, 'utf8');
      expect((await copy.lab('secrets', 'import', '--from-node', '10.20.30.41')).stderr).toMatch(
        /secrets.yaml .*there|already/i,
      );
      rmSync(path);
      const lost = await copy.lab('plan');
      expect(lost.stderr).toMatch(/its secrets are missing/);
      expect(lost.stderr).toContain('oxherd --lab secrets import --from-node');
      const worker = await copy.lab('secrets', 'import', '--from-node', '10.20.30.51');
      expect(worker).toMatchObject({ exit: 1, stderr: expect.stringContaining('is no control plane') });
      const taken = await copy.lab('secrets', 'import', '--from-node', '10.20.30.41');
      expect(taken).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^took in /) });
      expect(parse(readFileSync(path, 'utf8'))).toEqual(parse(secrets));
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect((await copy.lab('plan', '--exit-code')).exit).toBe(0);
    } finally {
      copy.remove();
    }
  });
});

describe('the journal of a run', () => {
  it('tells what was done, and holds no secret', async () => {
    const list = await folder.run(['runs', 'list', '--json']);
    const [run] = JSON.parse(list.stdout);
    expect(run).toMatchObject({
      command: 'oxherd apply',
      outcome: 'done',
      failed: 0,
      notStarted: 0,
      lab: true,
    });
    expect(run.steps).toBe(run.done);
    const shown = await folder.run(['runs', 'show', run.runId]);
    expect(shown.stdout).toMatch(/✓ cp-1 +create VM 141/);
    expect(shown.stdout).toMatch(new RegExp(`done after \\d.*: ${run.done} of ${run.steps} done`));

    const runs = labFile(folder.path, 'runs');
    const secrets = stringsIn(parse(readFileSync(labFile(folder.path, 'secrets.yaml'), 'utf8')));
    const long = secrets.filter((text) => text.length >= 8);
    expect(long.length).toBeGreaterThan(10);
    for (const name of readdirSync(runs)) {
      const text = readFileSync(join(runs, name), 'utf8');
      expect(long.filter((secret) => text.includes(secret))).toEqual([]);
      expect(statSync(join(runs, name)).mode & 0o777).toBe(0o600);
    }
  });

  it('is asked for by its id', async () => {
    const result = await folder.run(['runs', 'show', 'nothing']);
    expect(result.exit).toBe(1);
    expect(result.stderr).toMatch(/there is no run nothing/);
  });
});

describe('drift', () => {
  it('is what people changed by hand, without what is still to be made', async () => {
    const copy = folder.copy();
    try {
      await copy.withLab(async ({ hand }) => {
        await hand.updateVm('pve1', 151, { set: { description: 'by hand' } });
      });
      copy.config = smallCluster({ controlPlanes: 1, workers: 2, hosts: ['pve1'] });
      const drift = await copy.lab('plan', '--drift-only', '--exit-code');
      expect(drift.exit).toBe(2);
      expect(drift.stdout).toMatch(/set description of VM 151 \(work-1\)/);
      expect(drift.stdout).not.toMatch(/work-2/);
      expect((await copy.lab('plan')).stdout).toMatch(/create VM 152 \(work-2\)/);
      expect((await copy.lab('plan', '--drift-only', '--out', 'plan.json')).stderr).toMatch(
        /cannot be saved/,
      );
    } finally {
      copy.remove();
    }
  });

  it('is nothing where everything is still to be made', async () => {
    const empty = CliFolder.make(FILE);
    try {
      const drift = await empty.lab('plan', '--drift-only', '--exit-code');
      expect(drift.stdout).toMatch(/No drift\. \d+ other steps?:/);
      expect(drift.exit).toBe(0);
    } finally {
      empty.remove();
    }
  });
});
