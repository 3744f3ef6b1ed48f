/** Labs whose hosts are patched one after the other: budgets, a storage that rebuilds, CSI volumes in use. */
import type { LabWorld } from '../../src/lab/world.js';
import { builtOnce } from './built-folder.js';
import { type CliFolder, ended } from './cli.js';
import { ClusterSite } from './cluster-site.js';
import { csiWorkload } from './csi-workload.js';
import { herd } from './herd.js';
import { onSharedStorage } from './shared-world.js';
import { keptData, runningKubernetes } from './watcher.js';

const REBUILD_MS = 60_000;
const GATE =
  'policy: { host: { before: "echo patching" }, gates: { storage: { resource: configmaps, namespace: default, object: storage, expression: \'object.data.state == "healthy"\', timeout: 10m } } }';

export type Disks = 'local' | 'shared';

/** Three control planes, and a worker on each host. */
export class RackOfHosts {
  readonly #open: ClusterSite[] = [];

  private constructor(
    private readonly begin: CliFolder,
    readonly names: readonly string[],
    readonly disks: Disks,
  ) {}

  /** Built once, with everything that must stay up planted in it. */
  static async build(hosts: number, disks: Disks): Promise<RackOfHosts> {
    const begin = await builtOnce(`rack of ${hosts} hosts, ${disks}`, async () => {
      const site = await ClusterSite.open(config(hosts), undefined, worldWith(disks));
      ended(await site.run('apply', '--yes'));
      await plant(site);
      return site.close();
    });
    const names = Array.from({ length: hosts }, (_, index) => `pve${index + 1}`);
    return new RackOfHosts(begin, names, disks);
  }

  async copy(): Promise<ClusterSite> {
    const folder = this.begin.copy();
    const site = await ClusterSite.open(config(this.names.length), folder, worldWith(this.disks));
    this.#open.push(site);
    return site;
  }

  async removeCopies(): Promise<void> {
    for (const site of this.#open.splice(0)) await site.remove();
  }
}

/** Volumes of the CSI driver are on the NAS in any case. */
function config(hosts: number): string {
  const names = Array.from({ length: hosts }, (_, index) => `pve${index + 1}: {}`).join(', ');
  const volumes =
    'volumes:\n  scratch: { type: disk, size: 1GiB }\n  pv-data: { type: proxmox-csi, size: 1GiB, host: pve1, storage: nas }';
  return herd({ workers: hosts, volumes: {}, more: `${volumes}\n${GATE}` })
    .replace('hosts: { pve1: {}, pve2: {}, pve3: {} }', `hosts: { ${names} }`)
    .replace(/work-(4|5): \{ role: worker, host: pve\d/g, 'work-$1: { role: worker, host: pve$1');
}

function worldWith(disks: Disks): (world: LabWorld) => LabWorld {
  return (world) => withNas(disks === 'shared' ? onSharedStorage(world) : world);
}

function withNas(world: LabWorld): LabWorld {
  return {
    ...world,
    storages: world.storages.map((storage) =>
      storage.id === 'nas' ? { ...storage, type: 'nfs', path: '/mnt/pve/nas', shared: true } : storage,
    ),
  };
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
  // What its pod has written: guests of the lab write to their own disks only.
  const { volumes } = site.lab.proxmox.pve.db;
  for (const [key, volume] of [...volumes.entries()]) {
    if (volume.storage !== 'nas' || !volume.path.includes('pv-data')) continue;
    volumes.put(key, { ...volume, data: { ...volume.data, data: { 'pv-data': { begun: 'its pod' } } } });
  }
  if (!keptData(site.lab).includes('pv-data of its pod')) throw new Error('the CSI volume is missing');
  const bound = api.list('volumeattachments.storage.k8s.io');
  if (bound.length === 0) throw new Error('the CSI volume is not in use');
}

export interface Rebuilding {
  /** Nodes that went down while their going was forbidden. */
  readonly violations: readonly string[];
  stop(): void;
}

/** As Longhorn does: degraded while a node is away and for a minute after, and no other node goes meanwhile. */
export function rebuildingStorage(site: ClusterSite): Rebuilding {
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
