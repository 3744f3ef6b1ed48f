/** Nodes called `cp-1.example.com`: Kubernetes and etcd know their first label, unless `registerWithFQDN` is set. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NODES } from '../../src/clients/kubernetes/resources.js';
import { CliFolder, ended } from '../support/cli.js';
import { withCluster } from '../support/cluster.js';
import { type Herd, herd, VIP } from '../support/herd.js';

const dotted = (options: Herd = {}) =>
  herd({ controlPlanes: 1, workers: 2, kubernetes: 'v1.35.2', volumes: {}, ...options })
    .replaceAll(/^ {2}(cp|work)-(\d):/gm, '  $1-$2.example.com:')
    .concat('policy: { outage: allow }\n');

let base: CliFolder;
const folders: CliFolder[] = [];

beforeAll(async () => {
  base = CliFolder.make(dotted());
  ended(await base.lab('apply', '--yes'));
});
afterAll(() => {
  for (const folder of [base, ...folders]) folder.remove();
});

function copy(): CliFolder {
  const made = base.copy();
  folders.push(made);
  return made;
}

const objects = (folder: CliFolder) => withCluster(folder, VIP, ({ kubernetes }) => kubernetes.list(NODES));

async function isWell(folder: CliFolder, names: readonly string[]): Promise<void> {
  expect(ended(await folder.lab('plan', '--exit-code'))).toMatch(/No changes/);
  ended(await folder.lab('status'));
  const nodes = await objects(folder);
  expect(nodes.map(({ metadata }) => metadata?.name).sort()).toEqual(names);
  expect(nodes.filter(({ spec }) => spec?.unschedulable)).toEqual([]);
}

const ALL = ['cp-1', 'work-1', 'work-2'];

describe('nodes with dotted names', () => {
  it('are known by their first label', () => isWell(base, ALL));

  it('are restarted, with cordon and drain', async () => {
    const made = copy();
    const told = ended(await made.lab('restart', 'work-1.example.com', 'cp-1.example.com', '--yes'));
    expect(told).not.toContain('was not drained');
    await isWell(made, ALL);
  });

  it('get and lose volumes', async () => {
    const made = copy();
    made.config = dotted({ volumes: { scratch: '1GiB' } });
    ended(await made.lab('apply', '--yes'));
    await isWell(made, ALL);
    made.config = dotted();
    ended(await made.lab('apply', '--yes'));
    await isWell(made, ALL);
  });

  it('are upgraded: Talos and Kubernetes', async () => {
    const made = copy();
    made.config = dotted({ talos: 'v1.14.1', kubernetes: 'v1.36.0' });
    ended(await made.lab('upgrade', '--write', '--yes'));
    await isWell(made, ALL);
  });

  it('are removed with cordon and drain, their objects too', async () => {
    const made = copy();
    made.config = dotted({ workers: 1 });
    const told = ended(await made.lab('apply', '--yes'));
    expect(told).not.toContain('was not drained');
    await isWell(made, ['cp-1', 'work-1']);
  });

  it('two of them cannot share a first label', async () => {
    const made = copy();
    made.config = dotted().replace('work-2.example.com', 'work-1.example.org');
    const { exit, stdout, stderr } = await made.lab('plan');
    expect(exit).toBe(1);
    expect(stdout + stderr).toContain('are both called `work-1` in Kubernetes and etcd');
  });
});
