/** A cluster's life with the command line: nodes join, configs change, secrets must fit, files for clients, health. */
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { openTalosDb } from '../../../src/lab/talos/machine/machine-record.js';
import { CliFolder, ended, type CliFolder as Folder, labFile } from '../../support/cli.js';
import { smallCluster } from '../../support/configs.js';
import { tier } from '../../support/shard.js';

const WHOLE = tier() !== 'test';

const cluster = (controlPlanes: number, workers: number, talos = 'version: v1.14.1') =>
  smallCluster({
    controlPlanes,
    workers,
    hosts: ['pve1'],
    volumes: '  data: { type: directory }',
    more: 'hosts: { pve1: {} }\npolicy: { outage: allow }',
  }).replace('version: v1.14.1', talos);
const patched = (patch: string) => cluster(3, 2, `version: v1.14.1, patches: { all: [${patch}] }`);

const conditionsSchema = z.object({
  healthy: z.boolean(),
  conditions: z.array(
    z.object({
      name: z.string(),
      state: z.string(),
      message: z.string(),
      subject: z.string().optional(),
      advice: z.string().optional(),
    }),
  ),
});
const events = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => z.looseObject({ type: z.string() }).parse(JSON.parse(line)));

let base: Folder;
const folders: Folder[] = [];
/** A copy of the cluster with three control planes and two workers. */
function copy(): Folder {
  const made = base.copy();
  folders.push(made);
  return made;
}

beforeAll(async () => {
  base = CliFolder.make(cluster(1, 1));
  ended(await base.lab('apply', '--yes'));
});
afterAll(() => {
  for (const folder of [base, ...folders]) folder.remove();
});

const etcdMembers = (folder: Folder) =>
  folder.withLab(async ({ lab }) => {
    const clusters = [...openTalosDb(lab.core.store).etcd.values()];
    return clusters.map(({ members }) => members.map(({ name, learner }) => ({ name, learner })));
  });

describe('nodes that come later', () => {
  it('join: every control plane is a voting member of the one etcd', async () => {
    expect(await etcdMembers(base)).toEqual([[{ name: 'cp-1', learner: false }]]);
    base.config = cluster(3, 2);
    const output = ended(await base.lab('apply', '--yes'));
    expect(output).not.toContain('bootstrap etcd');
    const [members, ...others] = await etcdMembers(base);
    expect(others).toEqual([]);
    expect(members?.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual(
      ['cp-1', 'cp-2', 'cp-3'].map((name) => ({ name, learner: false })),
    );
    const status = conditionsSchema.parse(JSON.parse(ended(await base.lab('status', '--json'))));
    expect(status.healthy).toBe(true);
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ name: 'etcd-members', message: '3 of 3 control planes are members' }),
    );
    ended(await base.lab('plan', '--exit-code'));
  });
});

describe('a changed config', () => {
  it('is shown as a diff, applied at once where it can be, and no secret is told', async () => {
    const folder = copy();
    folder.config = patched(
      '{ machine: { sysctls: { vm.max_map_count: "262144" }, registries: { mirrors: { docker.io: { endpoints: [https://mirror.lan] } } } } }',
    );
    const plan = ended(await folder.lab('plan', '--full', '--out', 'plan.json'));
    expect(plan).toContain('change the config of work-2');
    expect(plan).toMatch(/\+ +vm\.max_map_count: "262144"/);
    expect(plan).not.toMatch(/reboot|restart/);
    const json = ended(await folder.lab('plan', '--json'));
    const applied = await folder.lab('apply', '--yes');
    ended(applied);
    const told = {
      plan,
      json,
      apply: `${applied.stdout}${applied.stderr}`,
      saved: readFileSync(join(folder.path, 'plan.json'), 'utf8'),
      ...journalsOf(folder),
    };
    expect(Object.keys(told).length).toBeGreaterThan(4);
    for (const secret of secretsOf(folder)) {
      for (const [where, text] of Object.entries(told)) expect(text.includes(secret), where).toBe(false);
    }
    ended(await folder.lab('plan', '--exit-code'));
  });

  it.runIf(WHOLE)('that needs a reboot is staged, and rolled one node after the other', async () => {
    const folder = copy();
    folder.config = patched('{ machine: { env: { GRPC_GO_LOG_SEVERITY_LEVEL: info } } }');
    const plan = ended(await folder.lab('plan', '--full'));
    expect(plan).toContain('change the config of cp-1 at its next reboot');
    expect(plan).toContain('machine.env.GRPC_GO_LOG_SEVERITY_LEVEL takes effect at a reboot');
    const run = events(ended(await folder.lab('apply', '--yes', '--json')));
    const moments = run.filter(({ step }) => /^(begin|end)-disruption:/.test(String(step)));
    const order = moments
      .filter(({ type, step }) =>
        String(step).startsWith('begin') ? type === 'step-started' : type === 'step-done',
      )
      .map(({ step }) => String(step));
    // Each is back before the next one goes.
    const nodes = order.filter((step) => step.startsWith('begin')).map((step) => step.split(':')[1] ?? '');
    expect(order).toEqual(nodes.flatMap((node) => [`begin-disruption:${node}`, `end-disruption:${node}`]));
    expect(nodes.slice(0, 3).toSorted()).toEqual(['cp-1', 'cp-2', 'cp-3']);
    expect(nodes.slice(3).toSorted()).toEqual(['work-1', 'work-2']);
    ended(await folder.lab('plan', '--exit-code'));
    ended(await folder.lab('status'));
  });
});

describe.runIf(WHOLE)('secrets that do not fit a living cluster', () => {
  const changesOf = (folder: Folder) =>
    folder.withLab(async ({ lab }) => ({
      tasks: [...lab.proxmox.pve.db.tasks.values()].length,
      vms: [...lab.proxmox.pve.db.vms.values()],
      configs: [...openTalosDb(lab.core.store).configs.entries()],
    }));

  it.each([
    ['lost', 'secrets.lost', /has data already .* but its secrets are missing/],
    ['of another cluster', 'secrets.mismatch', /holds the secrets of another cluster than data VM/],
  ])('%s: explained before anything is touched', async (what, code, message) => {
    const folder = copy();
    const secrets = labFile(folder.path, 'secrets.yaml');
    if (what === 'lost') rmSync(secrets);
    else writeFileSync(secrets, readFileSync(OTHER_SECRETS, 'utf8'), { mode: 0o600 });
    folder.config = cluster(3, 1);
    const before = await changesOf(folder);
    for (const command of [['apply', '--yes'], ['plan'], ['status']]) {
      const result = await folder.lab(...command);
      expect(result.exit, command.join(' ')).toBe(1);
      expect(result.stderr).toMatch(message);
      expect(result.stderr).toMatch(/Restore the file|Put the right secrets file in place/);
    }
    const told = await folder.lab('apply', '--yes', '--json');
    expect(`${told.stdout}${told.stderr}`).toContain(code);
    expect(await changesOf(folder)).toEqual(before);
  });
});

describe.runIf(WHOLE)('files for clients', () => {
  it('are written to themselves, or beside other clusters', async () => {
    const folder = copy();
    for (const kind of ['talosconfig', 'kubeconfig'] as const) {
      ended(await folder.lab(kind, '--out', 'mine'));
      const alone = parse(readFileSync(join(folder.path, 'mine'), 'utf8'));
      expect(statSync(join(folder.path, 'mine')).mode & 0o777).toBe(0o600);
      folder.config = cluster(3, 2).replace('name: small', 'name: other');
      ended(await folder.lab(kind, '--out', 'mine', '--merge'));
      folder.config = cluster(3, 2);
      const both = parse(readFileSync(join(folder.path, 'mine'), 'utf8'));
      const names = (file: { contexts: unknown }) =>
        Array.isArray(file.contexts)
          ? file.contexts.map((context: { name: string }) => context.name)
          : Object.keys(z.record(z.string(), z.unknown()).parse(file.contexts));
      expect(names(alone)).toHaveLength(1);
      expect(names(both)).toHaveLength(2);
      expect(names(both)).toEqual(expect.arrayContaining(names(alone)));
      rmSync(join(folder.path, 'mine'));
    }
  });
});

describe('status', () => {
  it('names a machine that is off and the etcd member that is missing', async () => {
    const folder = copy();
    await folder.withLab(({ hand }) => hand.runTask(() => hand.stopVm('pve1', 142)));
    const result = await folder.lab('status', '--json');
    expect(result.exit).toBe(3);
    const { healthy, conditions } = conditionsSchema.parse(JSON.parse(result.stdout));
    expect(healthy).toBe(false);
    const failed = conditions.filter(({ state }) => state === 'failed');
    expect(failed).toContainEqual(expect.objectContaining({ name: 'vm-running', subject: 'cp-2' }));
    expect(failed).toContainEqual(
      expect.objectContaining({
        name: 'etcd-quorum',
        message: '2 of 3 members are needed; 2 answer',
        advice: 'take no other control plane down',
      }),
    );
    expect(ended(await folder.lab('plan'))).toContain('start VM 142');
  });
});

const OTHER_SECRETS = join(
  import.meta.dirname,
  '../../fixtures/design/machine-config/talos-v1.12/secrets.yaml',
);

/** Everything of the bundle that nobody else may read: keys, tokens, what encrypts. */
function secretsOf(folder: Folder): string[] {
  const bundle: unknown = parse(readFileSync(labFile(folder.path, 'secrets.yaml'), 'utf8'));
  const found: string[] = [];
  const walk = (value: unknown, key: string): void => {
    if (typeof value === 'string') {
      if (key === 'crt') return;
      found.push(value);
      const decoded = Buffer.from(value, 'base64').toString('latin1');
      if (decoded.includes('PRIVATE KEY')) found.push(decoded.split('\n')[1] ?? value);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) walk(inner, name);
    }
  };
  walk(bundle, '');
  expect(found.length).toBeGreaterThan(8);
  return found;
}

function journalsOf(folder: Folder): Record<string, string> {
  const runs = labFile(folder.path, 'runs');
  return Object.fromEntries(readdirSync(runs).map((name) => [name, readFileSync(join(runs, name), 'utf8')]));
}
