/** The guard before a node goes down: asked directly before the request, whatever happened since the drain began. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/lab/kubernetes/object.js';
import { ended } from '../support/cli.js';
import type { ClusterSite } from '../support/cluster-site.js';
import { expectNothingToDo, RunningHerd } from '../support/rolling.js';
import { runningKubernetes } from '../support/watcher.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
}, HOOK_MS);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

const gate = (resource: string, more = '') =>
  `policy: { gates: { storage: { resource: ${resource}, namespace: default, expression: 'object.data.state == "healthy"', timeout: 5m${more} } } }`;
const STORAGE = gate('configmaps', ', object: storage');
const PLANES = '  controlplane: { memory: 6GiB }\n';

/** The herd with more memory for one role, and a gate that stands for storage. */
async function edited(defaults: string, more: string, state = 'healthy'): Promise<ClusterSite> {
  const site = await herd.copy();
  const body = { metadata: { name: 'storage' }, data: { state } };
  runningKubernetes(site).create('configmaps', 'default', body, 'kubectl');
  site.config = herd.with({ more }).replace('  all: {', `${defaults}  all: {`);
  return site;
}

function setState(site: ClusterSite, state: string): void {
  const object = structuredClone(runningKubernetes(site).find('configmaps', 'default', 'storage'));
  if (!object) throw new Error('there is no storage');
  object.data = { state };
  runningKubernetes(site).update('configmaps', object, '', 'kubectl');
}

const stop = (site: ClusterSite, host: string, vmid: number) =>
  site.byHand((hand) => hand.runTask(() => hand.stopVm(host, vmid)));

function node(site: ClusterSite, name: string): KubeObject | undefined {
  return runningKubernetes(site).find('nodes', undefined, name);
}

function isCordoned(site: ClusterSite, name: string): boolean {
  const spec = node(site, name)?.spec;
  return typeof spec === 'object' && spec !== null && 'unschedulable' in spec && spec.unschedulable === true;
}

const HOSTS: Readonly<Record<string, readonly [host: string, vmid: number]>> = {
  'cp-1': ['pve1', 141],
  'cp-2': ['pve2', 142],
  'cp-3': ['pve3', 143],
  'work-1': ['pve1', 151],
  'work-2': ['pve2', 152],
};

const place = (name: string): readonly [string, number] => HOSTS[name] ?? expect.fail(name);

/** The nodes in the order in which the plan takes them down. */
async function order(site: ClusterSite): Promise<string[]> {
  const { stdout } = await site.run('plan');
  return (/^order\n +([^:]+):/m.exec(stdout)?.[1] ?? '').split(', ');
}

const inSeconds = (site: ClusterSite, seconds: number, work: () => unknown) =>
  site.lab.clock.schedule(site.lab.clock.now() + seconds * 1_000, () => void work());

describe('an etcd member that fails while a gate is awaited', () => {
  it('keeps the next member up and uncordons it; the next run finishes', async () => {
    const site = await edited(PLANES, STORAGE, 'degraded');
    const [going = '', victim = ''] = await order(site);
    inSeconds(site, 30, () => stop(site, ...place(victim)));
    inSeconds(site, 90, () => setState(site, 'healthy'));
    const { result, report } = await site.watch(['apply', '--yes'], { handOverSeconds: 60 });
    expect(result.exit).toBe(1);
    expect(result.stdout).toMatch(
      new RegExp(`refusing to disrupt ${going}: .*2 of 3 etcd members are needed, .* \\(${victim} `),
    );
    expect(result.stdout).toContain(`${going} still runs and was uncordoned`);
    expect(report.went).toEqual([place(victim)[1]]);
    expect(isCordoned(site, going)).toBe(false);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
    expect((await site.run('status')).exit).toBe(0);
  });
});
