/** What keeps a node from going: gates of the user's own, etcd that is behind; and whose cordon is whose. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/lab/kubernetes/object.js';
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

function change(site: ClusterSite, resource: string, name: string, edit: (object: KubeObject) => void): void {
  const namespace = resource === 'nodes' ? undefined : 'default';
  const object = structuredClone(runningKubernetes(site).find(resource, namespace, name));
  if (!object) throw new Error(`there is no ${resource} ${name}`);
  edit(object);
  runningKubernetes(site).update(resource, object, '', 'kubectl');
}

const gate = (expression: string) =>
  `policy: { gates: { storage: { resource: configmaps, namespace: default, object: storage, expression: '${expression}', timeout: 2m } } }`;
const HEALTHY = gate('object.data.state == "healthy"');

async function withGate(state: 'healthy' | 'degraded', more = HEALTHY): Promise<ClusterSite> {
  const site = await herd.copy();
  const body = { metadata: { name: 'storage' }, data: { state } };
  runningKubernetes(site).create('configmaps', 'default', body, 'kubectl');
  site.config = herd.with({ more }).replace('  all: {', '  worker: { memory: 6GiB }\n  all: {');
  return site;
}

const setState = (site: ClusterSite, state: string) =>
  change(site, 'configmaps', 'storage', (object) => {
    object.data = { state };
  });

describe('a gate', () => {
  it('that is closed lets no node go, and says what holds it', async () => {
    const site = await withGate('degraded');
    const { result, report } = await site.watch(['apply', '--yes']);
    expect(result.exit).toBe(1);
    expect(report.went).toEqual([]);
    expect(result.stdout).toContain(
      'refusing to disrupt work-1: gate storage did not open in 120 s: gate storage is closed by default/storage',
    );
    setState(site, 'healthy');
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    await expectNothingToDo(site);
  });

  it('that closes while a node is away lets no other go', async () => {
    const site = await withGate('healthy');
    site.onPrint = (text) => {
      if (/✓ work-1 +drain work-1/.test(text)) setState(site, 'degraded');
    };
    const { result, report } = await site.watch(['apply', '--yes']);
    site.onPrint = () => {};
    expect(result.exit).toBe(1);
    expect(report.went).toEqual([151]);
    expect(result.stdout).toContain('work-1 is back: gate storage did not open');
    setState(site, 'healthy');
    const again = await site.watch(['apply', '--yes']);
    expect(again.result.exit).toBe(0);
    expect(again.report.went).toEqual([152]);
    await expectNothingToDo(site);
  });

  it('that is closed keeps a node from being removed', async () => {
    const site = await withGate('degraded');
    site.config = herd.with({ workers: 1, more: HEALTHY });
    const { result, report } = await site.watch(['apply', '--yes']);
    expect(result.exit).toBe(1);
    expect(report.went).toEqual([]);
    expect(result.stdout).toContain('refusing to remove work-2: gate storage did not open in 120 s');
    setState(site, 'healthy');
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    await expectNothingToDo(site);
  });

  it('that opens in time is waited for', async () => {
    const site = await withGate('degraded');
    const { clock } = site.lab;
    clock.schedule(clock.now() + 60_000, () => setState(site, 'healthy'));
    const { result, report } = await site.watch(['apply', '--yes']);
    expect(result.exit).toBe(0);
    expect(report.went).toEqual([151, 152]);
  });

  it('that no one can read stops at once', async () => {
    const site = await withGate('healthy', gate('object.data.('));
    const before = site.lab.clock.now();
    const { result, report } = await site.watch(['apply', '--yes']);
    expect(result.exit).toBe(1);
    expect(report.went).toEqual([]);
    expect(result.stdout).toContain('gate storage: its expression cannot be read');
    expect(result.stdout).toContain('policy.gates.storage.expression');
    expect(site.lab.clock.now() - before).toBeLessThan(60_000);
  });
});

describe('a cordon', () => {
  const isCordoned = (site: ClusterSite, name: string): boolean => {
    const { unschedulable } = {
      ...(runningKubernetes(site).find('nodes', undefined, name)?.spec as object),
    } as {
      unschedulable?: boolean;
    };
    return unschedulable === true;
  };

  it('that a run left behind is taken away by the next', async () => {
    const site = await herd.copy();
    site.config = herd.with({ memory: '6GiB' });
    site.lab.core.faults.set({ name: 'drain-held', subject: '', countdown: null });
    expect((await site.run('apply', '--yes', '--only', 'work-1')).exit).toBe(1);
    expect(isCordoned(site, 'work-1')).toBe(true);
    site.lab.core.faults.clear('drain-held');
    // Back to what it was: nothing is left to change but the cordon.
    site.config = herd.with({});
    const plan = await site.run('plan');
    expect(plan.stdout).toContain('uncordon work-1');
    expect((await site.run('apply', '--yes')).exit).toBe(0);
    expect(isCordoned(site, 'work-1')).toBe(false);
    await expectNothingToDo(site);
  });

  it('of a person stays, whatever is rolled', async () => {
    const site = await herd.copy();
    change(site, 'nodes', 'work-1', (node) => {
      node.spec = { ...(node.spec as object), unschedulable: true };
    });
    await expectNothingToDo(site);
    site.config = herd.with({ memory: '6GiB' });
    expect((await site.run('apply', '--yes', '--only', 'work-1')).exit).toBe(0);
    expect(isCordoned(site, 'work-1')).toBe(true);
  });
});

describe('an etcd member that does not catch up', () => {
  it('keeps the next control plane from going, for a while and then with the reason', async () => {
    const site = await herd.copy();
    site.config = herd.with({ memory: '6GiB' });
    site.lab.core.faults.set({ name: 'etcd-slow', subject: 'cp-3', countdown: null });
    const { result, report } = await site.watch(['apply', '--yes']);
    expect(result.exit).toBe(1);
    expect(report.went).toEqual([]);
    expect(report.violations).toEqual([]);
    expect(result.stdout).toMatch(
      /refusing to disrupt cp-\d: cp-3: etcd has not caught up: it is \d+ entries behind/,
    );
    site.lab.core.faults.clear('etcd-slow');
    const again = await site.watch(['apply', '--yes']);
    expect(again.result.exit).toBe(0);
    expect(again.report.violations).toEqual([]);
    await expectNothingToDo(site);
  });
});
