/** Changes that restart a component or the network: one node at a time, tried first, kept once the node is healthy. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RESOURCES } from '../../../src/clients/talos/resources.js';
import { CliFolder, ended } from '../../support/cli.js';
import { withCluster } from '../../support/cluster.js';
import { herd, VIP } from '../../support/herd.js';
import { tier } from '../../support/shard.js';

/** In `npm test` a few of them. */
const WHOLE = tier() !== 'test';

const CONTROL_PLANES = ['10.20.30.41', '10.20.30.42', '10.20.30.43'];
const ALL = [...CONTROL_PLANES, '10.20.30.51'];

interface Edit {
  readonly cluster?: string;
  readonly network?: string;
  readonly gateway?: string;
  readonly patch?: string;
}

function config({ cluster = '', network = '', gateway = '10.20.30.254', patch }: Edit = {}): string {
  return herd({ talos: 'v1.14.1', kubernetes: 'v1.36.0', workers: 1, volumes: {} })
    .replace('cluster: { name: herd,', `cluster: { name: herd,${cluster}`)
    .replace('gateway: 10.20.30.254,', `gateway: ${gateway},${network}`)
    .replace(
      '  version: v1.14.1',
      patch ? `  version: v1.14.1\n  patches: { controlplane: [${patch}] }` : '  version: v1.14.1',
    );
}

let base: CliFolder;
const folders: CliFolder[] = [];
beforeAll(async () => {
  base = CliFolder.make(config());
  ended(await base.lab('apply', '--yes'));
});
afterAll(() => {
  for (const folder of [base, ...folders]) folder.remove();
});

function edited(edit: Edit): CliFolder {
  const made = base.copy();
  folders.push(made);
  made.config = config(edit);
  return made;
}

const planSchema = z.object({
  steps: z.array(
    z.looseObject({
      id: z.string(),
      kind: z.string(),
      impact: z.string(),
      mode: z.string().optional(),
      needs: z.array(z.string()),
    }),
  ),
});
const stepsOf = async (folder: CliFolder) =>
  planSchema.parse(JSON.parse((await folder.lab('plan', '--json')).stdout)).steps;

/** What each machine runs with and boots with. */
const configsOf = (folder: CliFolder) =>
  withCluster(folder, VIP, async ({ talos }) =>
    Promise.all(
      ALL.map(async (ip) => {
        const client = talos.admin(ip);
        if (!client) throw new Error('no secrets');
        const text = async (id: string) => String((await client.get(RESOURCES.machineConfig, id))?.spec);
        return { active: await text('v1alpha1'), persistent: await text('persistent') };
      }),
    ),
  );

async function isWell(folder: CliFolder): Promise<void> {
  expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/No changes/);
  ended(await folder.lab('status'));
}

/** The roll stops at the first node, Talos takes the config back, the file put right is what the machines have. */
async function stopsAtOne(folder: CliFolder, ...words: readonly string[]): Promise<void> {
  const before = await configsOf(folder);
  const { exit, stdout, stderr } = await folder.lab('apply', '--yes');
  const told = stdout + stderr;
  expect(exit, told).toBe(1);
  for (const word of [...words, 'cp-', 'Talos has reverted it']) expect(told).toContain(word);
  expect(await configsOf(folder)).toEqual(before);
  folder.config = config();
  await isWell(folder);
}

const FLAGS = (flags: string) => ` apiServer: { extraArgs: { ${flags} } },`;

describe('a change that restarts a component', () => {
  it('goes to one node after the other, control planes first, in try mode', async () => {
    const made = edited({ cluster: FLAGS('profiling: "false"') });
    const steps = await stepsOf(made);
    expect(steps.map(({ kind, impact, mode }) => `${kind} ${impact} ${mode}`)).toEqual(
      Array.from({ length: 3 }, () => 'change-config component try'),
    );
    expect(steps[1]?.needs).toContain(steps[0]?.id);
    expect(steps[2]?.needs).toContain(steps[1]?.id);
    ended(await made.lab('apply', '--yes'));
    await isWell(made);
    for (const { active, persistent } of (await configsOf(made)).slice(0, 3)) {
      expect(active).toContain('profiling');
      expect(persistent).toContain('profiling');
    }
  });

  it('with a bad API server flag costs one node for minutes', () =>
    stopsAtOne(edited({ cluster: FLAGS('nosuch: "1"') }), 'kube-apiserver'));

  if (WHOLE)
    it('with a wrong gateway too', () =>
      stopsAtOne(edited({ gateway: '10.20.30.77' }), 'network', 'nothing behind the gateway answers'));

  if (WHOLE)
    it('and with an MTU that the network does not carry', async () => {
      const made = edited({ patch: 'mtu.yaml' });
      made.write('mtu.yaml', 'apiVersion: v1alpha1\nkind: LinkConfig\nname: net0\nmtu: 9000\n');
      await stopsAtOne(made, 'network', '64 KiB do not pass');
    });

  it.runIf(WHOLE)('a NIC with an MTU that the network does not carry is restored, on one node', async () => {
    const made = edited({ network: ' mtu: 9000,' });
    const nics = () =>
      made.withLab(async ({ lab }) =>
        Object.fromEntries(
          [...lab.proxmox.pve.db.vms.values()].map(({ vmid, config: { net0 } }) => [vmid, net0]),
        ),
      );
    const [configs, before] = [await configsOf(made), await nics()];
    const { exit, stdout, stderr } = await made.lab('apply', '--yes');
    const told = stdout + stderr;
    expect(exit, told).toBe(1);
    expect(told).toMatch(
      /network of cp-\d does not work with the new net0: .*; net0 of VM 14\d was restored/,
    );
    expect(await nics()).toEqual(before);
    expect(await configsOf(made)).toEqual(configs);
    made.config = config();
    ended(await made.lab('apply', '--yes'));
    await isWell(made);
  });

  it('options of etcd take a rolled reboot', async () => {
    const made = edited({ patch: 'etcd.yaml' });
    made.write('etcd.yaml', 'cluster:\n  etcd:\n    extraArgs: { election-timeout: "5000" }\n');
    const steps = await stepsOf(made);
    expect(steps.filter(({ kind }) => kind === 'change-config').map(({ mode }) => mode)).toContain('staged');
    expect(steps.filter(({ kind }) => kind === 'reboot-machine')).toHaveLength(3);
  });
});
