/** Situations in which an observation is cut short: edits, drift, recovery, hosts, requests and adoption. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { clusterTag } from '../../../src/formats/marks/cluster-names.js';
import type { PlanRequest } from '../../../src/session/plan/plan-request.js';
import { builtFolder, builtOnce } from '../built-folder.js';
import { CliFolder, ended } from '../cli.js';
import { ClusterSite } from '../cluster-site.js';
import { baseFile, CATALOGUE, catalogueWorld, type EditedFile, textOf } from '../edit-catalogue.js';
import { foreignCluster } from '../foreign-cluster.js';
import { builtHerd } from '../pair-bench.js';
import { destroyVm, etcdOf, memberOf } from '../recovery.js';
import { smallFile } from '../small-file.js';
import { kubernetesOf } from '../watcher.js';

type Edit = (file: EditedFile) => void;

/** One state of one cluster, and what is planned on it. */
export interface ReadState {
  readonly name: string;
  /** A copy, which the state's owner removes. */
  open(): Promise<ClusterSite>;
  readonly situations: readonly ReadSituation[];
}

export interface ReadSituation {
  readonly name: string;
  /** Absent: the file that the cluster was built with. */
  readonly text?: string;
  readonly request?: PlanRequest;
}

function edited(change: Edit, base: () => EditedFile = baseFile): string {
  const file = base();
  change(file);
  return textOf(file);
}

const situation = (name: string, request?: PlanRequest): ReadSituation => ({
  name,
  ...(request && { request }),
});

/** What a hand or an accident did to a copy of the cluster of the catalogue. */
function after(
  name: string,
  before: (site: ClusterSite) => Promise<unknown> | unknown,
  situations: readonly ReadSituation[] = [situation('converge')],
): ReadState {
  return {
    name,
    async open() {
      const site = await ClusterSite.open(textOf(baseFile()), (await builtHerd()).copy(), catalogueWorld);
      await before(site);
      return site;
    },
    situations,
  };
}

const AS_BUILT: ReadState = after('as built', () => {}, [
  situation('converge'),
  ...CATALOGUE.map(({ name, change }) => ({ name, text: edited(change) })),
  situation('restart cp-2', { kind: 'restart', nodes: ['cp-2'] }),
  situation('replace work-1', { kind: 'replace', nodes: ['work-1'] }),
  situation('only work-1', { kind: 'converge', only: ['work-1'] }),
  situation('fresh cp-2', { kind: 'converge', only: ['cp-2'], fresh: ['cp-2'] }),
  situation('fresh control planes', { kind: 'converge', fresh: ['cp-1', 'cp-2', 'cp-3'] }),
  situation('destroy', { kind: 'destroy' }),
  situation('destroy with data', { kind: 'destroy', deleteData: true }),
  situation('drain pve2', drain('pve2')),
  situation('drain pve3', drain('pve3')),
  situation('lose pve2', { kind: 'lose-host', host: 'pve2' }),
  situation('balance', { kind: 'balance' }),
]);

function drain(host: string): PlanRequest {
  const accept = { podsDown: true, noQuorum: true };
  return { kind: 'drain-host', host, forSeconds: 600, stay: [], move: [], accept };
}

type Hand = Parameters<Parameters<ClusterSite['byHand']>[0]>[0];
const byHand = (work: (hand: Hand) => Promise<unknown>) => (site: ClusterSite) => site.byHand(work);
const set = (host: string, vmid: number, values: Record<string, string | number>) =>
  byHand((hand) => hand.updateVm(host, vmid, { set: values }));

const DRIFT: readonly ReadState[] = [
  after('cores by hand', set('pve1', 151, { cores: 3 })),
  after('name by hand', set('pve1', 151, { name: 'other' })),
  after('description by hand', set('pve2', 1420, { description: '' })),
  after('no tags', set('pve3', 143, { tags: '' })),
  after('data VM without tags', set('pve3', 1430, { tags: '' })),
  after('data VM without protection', set('pve1', 1510, { protection: 0 })),
  after(
    'a worker is off',
    byHand((hand) => hand.runTask(() => hand.stopVm('pve2', 152))),
  ),
  after(
    'a worker is off and leaves the file',
    byHand((hand) => hand.runTask(() => hand.stopVm('pve2', 152))),
    [{ name: 'converge', text: edited(({ nodes }) => void delete nodes['work-2']) }],
  ),
  after('a drive of the Talos VM is detached', async (site) => {
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve1', 151));
      await hand.updateVm('pve1', 151, { delete: ['scsi2'] });
    });
  }),
  after('a drive of the data VM is unused', async (site) => {
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve1', 151));
      await hand.updateVm('pve1', 1510, { set: { protection: 0 } });
      await hand.updateVm('pve1', 1510, { delete: ['scsi1'] });
    });
  }),
  after('a node is cordoned', (site) => {
    const api = kubernetesOf(site.room);
    const node = structuredClone(api?.find('nodes', undefined, 'work-1'));
    if (!api || !node) throw new Error('there is no node work-1');
    node.spec = { ...Object(node.spec), unschedulable: true };
    api.update('nodes', node, '', 'kubectl');
  }),
  after(
    'a VM of somebody names our volume',
    byHand(async (hand) => {
      const { entries } = await hand.vmPending('pve1', 1510);
      const volume = entries.scsi1?.value?.split(',')[0] ?? '';
      await hand.runTask(() => hand.createVm('pve1', 700, { name: 'stranger', memory: 512, scsi3: volume }));
    }),
    [situation('converge'), { name: 'grown', text: edited(grown) }],
  ),
];

function grown({ volumes }: EditedFile): void {
  volumes.scratch = { ...volumes.scratch, size: '2GiB' };
}

const RECOVERY: readonly ReadState[] = [
  after('VM 142 is destroyed', (site) => destroyVm(site, 'pve2', 142)),
  after('VM 152 is destroyed', (site) => destroyVm(site, 'pve2', 152)),
  after(
    'VMs 142 and 1420 are destroyed',
    async (site) => {
      await destroyVm(site, 'pve2', 142);
      await destroyVm(site, 'pve2', 1420);
    },
    [
      situation('converge'),
      { name: 'cp-2 leaves the file', text: edited(({ nodes }) => void delete nodes['cp-2']) },
    ],
  ),
  after('VM 143 is destroyed', (site) => destroyVm(site, 'pve3', 143), [
    { name: 'cp-3 leaves the file', text: edited(({ nodes }) => void delete nodes['cp-3']) },
  ]),
  after('member cp-2 is removed', (site) => {
    site.room.etcd.remove(etcdOf(site).id, memberOf(site, 'cp-2') ?? '');
    site.room.settle();
  }),
  after(
    'two control planes are off',
    byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve2', 142));
      await hand.runTask(() => hand.stopVm('pve3', 143));
    }),
  ),
  after(
    'all control planes are off',
    byHand(async (hand) => {
      for (const [host, vmid] of [
        ['pve1', 141],
        ['pve2', 142],
        ['pve3', 143],
      ] as const)
        await hand.runTask(() => hand.stopVm(host, vmid));
    }),
  ),
  after('the EPHEMERAL disk of cp-2 is lost', async (site) => {
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve2', 142));
      await hand.updateVm('pve2', 142, { delete: ['scsi1'] });
      await hand.updateVm('pve2', 1420, { set: { protection: 0 } });
      await hand.updateVm('pve2', 1420, { delete: ['scsi0'] });
      await hand.updateVm('pve2', 1420, { delete: ['unused0'] });
    });
  }),
];

const HOSTS: readonly ReadState[] = [
  after(
    'host pve2 is down',
    async (site) => {
      site.lab.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
      await site.lab.clock.sleep(400_000);
    },
    [
      situation('converge'),
      situation('lose', { kind: 'lose-host', host: 'pve2', off: 'stated' }),
      { name: 'work-2 leaves the file', text: edited(({ nodes }) => void delete nodes['work-2']) },
    ],
  ),
  after(
    'host pve3 is drained',
    async (site) => ended(await site.run('host', 'drain', 'pve3', '--yes', '--accept-no-quorum')),
    [situation('converge'), situation('return', { kind: 'return-host', host: 'pve3' })],
  ),
];

/** Add-ons, a backup job and CSI volumes: what else a plan reads. */
function richFile(): EditedFile & { backup: Record<string, unknown> } {
  const file = baseFile();
  for (const name of ['cp-2', 'cp-3', 'work-2']) delete file.nodes[name];
  file.volumes = {
    ...file.volumes,
    photos: { type: 'proxmox-csi', size: '1GiB', host: 'pve1', storage: 'tank' },
  };
  Object.assign(file.kubernetes, {
    cilium: true,
    loadBalancer: { pool: '10.20.30.200-10.20.30.220' },
    csi: { storageClasses: { fast: { storage: 'tank' } } },
    sealedSecrets: true,
    gatewayApi: true,
  });
  return { ...file, backup: { storage: 'local', schedule: '03:30' } };
}

function rich(
  name: string,
  before: (site: ClusterSite) => Promise<unknown> | unknown,
  situations: readonly ReadSituation[],
): ReadState {
  return {
    name: `add-ons, ${name}`,
    async open() {
      const text = textOf(richFile());
      const built = await builtOnce('a cluster with add-ons', async () => {
        const folder = CliFolder.make();
        const site = await ClusterSite.open(text, folder, catalogueWorld);
        ended(await site.run('apply', '--yes'));
        return site.close();
      });
      const site = await ClusterSite.open(text, built.copy(), catalogueWorld);
      await before(site);
      return site;
    },
    situations,
  };
}

const ADD_ONS: readonly ReadState[] = [
  rich('as built', nothing, [
    situation('converge'),
    {
      name: 'a larger CSI volume',
      text: edited((file) => Object.assign(file.volumes.photos ?? {}, { size: '2GiB' }), richFile),
    },
    { name: 'no CSI volume', text: edited((file) => void delete file.volumes.photos, richFile) },
    { name: 'no CSI', text: edited(withoutCsi, richFile) },
    { name: 'no load balancer', text: edited(without('loadBalancer'), richFile) },
    { name: 'no sealed secrets', text: edited(without('sealedSecrets'), richFile) },
    { name: 'no Gateway API', text: edited(without('gatewayApi'), richFile) },
    { name: 'no backup', text: edited((file) => void Reflect.deleteProperty(file, 'backup'), richFile) },
    {
      name: 'Kubernetes v1.35.0',
      text: edited(({ cluster }) => void Object.assign(cluster, { kubernetes: 'v1.35.0' }), richFile),
    },
    situation('rotate the CSI token', { kind: 'rotate-csi-token' }),
    situation('destroy with data', { kind: 'destroy', deleteData: true }),
  ]),
  rich(
    'a VM is out of the pool',
    (site) =>
      site.lab.proxmox.pve.db.pools.update(clusterTag({ name: 'herd', env: '' }), (pool) => ({
        ...pool,
        vms: pool.vms.filter((vmid) => vmid !== 151),
      })),
    [situation('converge')],
  ),
  rich(
    'CSI disk larger than in the file',
    async (site) => {
      const volumes = site.lab.proxmox.pve.db.volumes;
      for (const [key, volume] of [...volumes.entries()])
        if (volume.path.includes('vm-9999-')) volumes.put(key, { ...volume, size: volume.size * 2 });
    },
    [situation('converge')],
  ),
];

function nothing(): void {}

function without(key: string): Edit {
  return ({ kubernetes }) => void Reflect.deleteProperty(kubernetes, key);
}

function withoutCsi(file: EditedFile): void {
  delete file.volumes.photos;
  without('csi')(file);
}

const ADOPTION: readonly ReadState[] = (['module', 'by-hand'] as const).map((origin) => ({
  name: `made by ${origin}`,
  async open() {
    const built = await builtOnce(`made by ${origin}`, async () => {
      const { folder } = await foreignCluster(origin);
      ended(await folder.lab('init', '--from-cluster', '--talosconfig', 'talosconfig'));
      return folder;
    });
    const folder = built.copy();
    return ClusterSite.open(readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8'), folder);
  },
  situations: [situation('converge'), situation('adopt', { kind: 'adopt' })],
}));

const NOTHING: ReadState = {
  name: 'nothing is there',
  open: () => ClusterSite.open(textOf(baseFile()), undefined, catalogueWorld),
  situations: [situation('converge')],
};

const WORK_2 = 'work-2: { role: worker, host: pve1, ip: 10.20.30.52, vmid: 152 }';

/** One control plane and one worker: small enough for every run of the tests. */
export const SMALL_STATES: readonly ReadState[] = [
  {
    name: 'small',
    async open() {
      const text = smallFile();
      return ClusterSite.open(text, (await builtFolder(text)).copy());
    },
    situations: [
      situation('converge'),
      { name: 'cores', text: smallFile({ worker: ', cores: 3' }) },
      { name: 'no worker', text: smallFile().replace(/\n {2}work-1:.*/, '') },
      { name: 'a worker more', text: smallFile({ nodes: [WORK_2] }) },
      { name: 'no volume', text: smallFile({ volumes: [] }) },
    ],
  },
];

export const READ_STATES: readonly ReadState[] = [
  AS_BUILT,
  ...DRIFT,
  ...RECOVERY,
  ...HOSTS,
  ...ADD_ONS,
  ...ADOPTION,
  NOTHING,
];
