/** All hosts of a lab patched one after the other, under the watcher: budgets, a storage that rebuilds, CSI volumes in use. */
import { expect, it } from 'vitest';
import type { LabWorld } from '../../src/lab/world.js';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { csiWorkload } from '../support/csi-workload.js';
import { herd } from '../support/herd.js';
import { expectNothingToDo } from '../support/rolling.js';
import { onSharedStorage } from '../support/shared-world.js';
import { keptData, runningKubernetes } from '../support/watcher.js';

const REBUILD_MS = 60_000;
const GATE =
  'policy: { host: { before: "true" }, gates: { storage: { resource: configmaps, namespace: default, object: storage, expression: \'object.data.state == "healthy"\', timeout: 10m } } }';

/** Three or five hosts; volumes of the CSI driver are on the NAS in any case. */
function config(hosts: number): string {
  const names = Array.from({ length: hosts }, (_, index) => `pve${index + 1}: {}`).join(', ');
  const volumes =
    'volumes:\n  scratch: { type: disk, size: 1GiB }\n  pv-data: { type: proxmox-csi, size: 1GiB, host: pve1, storage: nas }';
  return herd({ workers: hosts, volumes: {}, more: `${volumes}\n${GATE}` })
    .replace('hosts: { pve1: {}, pve2: {}, pve3: {} }', `hosts: { ${names} }`)
    .replace(/work-(4|5): \{ role: worker, host: pve\d/g, 'work-$1: { role: worker, host: pve$1');
}

function withNas(world: LabWorld): LabWorld {
  return {
    ...world,
    storages: world.storages.map((storage) =>
      storage.id === 'nas' ? { ...storage, type: 'nfs', path: '/mnt/pve/nas', shared: true } : storage,
    ),
  };
}

/** As Longhorn does: degraded while a node is away and for a minute after, and no other node goes meanwhile. */
function rebuilding(site: ClusterSite): { readonly violations: string[]; stop(): void } {
  const { clock } = site.lab;
  const violations: string[] = [];
  const vmids = [...site.room.machines()].map(({ vmid }) => vmid);
  const set = (state: string) => {
    const api = runningKubernetes(site);
    const object = structuredClone(api.find('configmaps', 'default', 'storage'));
    if (object) api.update('configmaps', { ...object, data: { state } }, '', 'longhorn');
  };
  let away = new Set<number>();
  let healthySince = 0;
  let state = 'healthy';
  let cancel: () => void = () => {};
  const look = () => {
    const now = new Set(vmids.filter((vmid) => site.room.machine(vmid)?.record.stage !== 'running'));
    for (const vmid of now)
      if (!away.has(vmid) && state === 'degraded') violations.push(`${vmid} went while storage was degraded`);
    if (now.size > 0) healthySince = clock.now() + REBUILD_MS;
    const next = now.size > 0 || clock.now() < healthySince ? 'degraded' : 'healthy';
    if (next !== state) set(next);
    [away, state] = [now, next];
    cancel = clock.schedule(clock.now() + 1_000, look);
  };
  look();
  return { violations, stop: () => cancel() };
}

async function plant(site: ClusterSite): Promise<void> {
  await site.plantWorkload();
  const api = runningKubernetes(site);
  api.create('configmaps', 'default', { metadata: { name: 'storage' }, data: { state: 'healthy' } }, 'test');
  for (const body of csiWorkload('pv-data', '1Gi')) {
    const resource = body.kind === 'Deployment' ? 'deployments.apps' : 'persistentvolumeclaims';
    if (!api.create(resource, 'default', body, 'test')) throw new Error(`the lab refused ${body.kind}`);
  }
  await site.lab.clock.sleep(120_000);
  const bound = api.list('volumeattachments.storage.k8s.io');
  if (bound.length === 0) throw new Error('the CSI volume is not in use');
}

it.each([
  [3, 'local'],
  [3, 'shared'],
  [5, 'local'],
  [5, 'shared'],
] as const)(
  '%d hosts with %s disks: no quorum, budget, content or answer is lost',
  async (hosts, disks) => {
    const adapt = (world: LabWorld) => withNas(disks === 'shared' ? onSharedStorage(world) : world);
    const site = await ClusterSite.open(config(hosts), undefined, adapt);
    try {
      ended(await site.run('apply', '--yes'));
      await plant(site);
      const before = keptData(site.lab);
      const storage = rebuilding(site);
      const names = Array.from({ length: hosts }, (_, index) => `pve${index + 1}`);
      const begin = site.lab.clock.now();
      const { result, report } = await site.watch(['host', 'roll', ...names, '--yes'], {
        away: disks === 'shared' ? 0 : 1,
      });
      storage.stop();
      ended(result);
      expect([...report.violations, ...storage.violations]).toEqual([]);
      expect(keptData(site.lab)).toEqual(before);
      if (disks === 'shared') expect(report.went).toEqual([]);
      else expect(report.went.length).toBeGreaterThan(0);
      await expectNothingToDo(site);
      expect(ended(await site.run('status'))).toContain('Healthy');
      const minutes = Math.round((site.lab.clock.now() - begin) / 60_000);
      console.log(`${hosts} hosts, ${disks}: ${report.samples} samples in ${minutes} lab minutes`);
    } finally {
      await site.remove();
    }
  },
  300_000,
);
