/** Runs that are worth cutting off: a new cluster, and everything that moves or removes a disk. */

import { clusterTag, legacyTag } from '../../src/formats/marks/cluster-names.js';
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import { observe } from '../../src/observe/observe.js';
import { planVolumeDelete } from '../../src/plan/drives/plan-volume-delete.js';
import { smallCluster } from './configs.js';
import type { Scenario } from './crash.js';
import { makeTagsOld } from './legacy.js';
import type { VmSite } from './vm-site.js';

const one = (volumes: string) =>
  smallCluster({ controlPlanes: 1, workers: 1, hosts: ['pve1'], volumes, more: 'hosts: { pve1: {} }' });
const DATA = '  data: { type: disk, size: 2GiB, on: worker }';
/** So that the world has a second storage. */
const SCRATCH = '\n  scratch: { type: disk, size: 1GiB, storage: other }';
const SPARE = '  spare: { type: directory }';
const NAME = 'work-1/data';

/** What a guest has written to the volume with this WWN. */
function contentOf(site: VmSite, slot: string): string {
  const volume = recordOf(site, slot)?.record;
  return String(volume?.data.data?.note ?? 'nothing');
}

function recordOf(site: VmSite, slot: string) {
  const { vms, volumes } = site.lab.proxmox.pve.db;
  const file = diskDrives(vms.get('1510')?.config ?? {}).find((drive) => drive.slot === slot)?.file;
  const found = [...volumes.entries()].find(([, record]) => `${record.storage}:${record.path}` === file);
  return found && { key: found[0], record: found[1], volumes };
}

async function writeNote(site: VmSite): Promise<void> {
  const there = recordOf(site, 'scsi1');
  if (!there) throw new Error('data VM 1510 has no scsi1');
  there.volumes.put(there.key, { ...there.record, data: { data: { note: 'kept' } } });
}

export const NEW_CLUSTER: Scenario = { config: smallCluster() };

export const STORAGE_MOVE: Scenario = {
  start: one(DATA + SCRATCH),
  prepare: (site) => writeNote(site),
  config: one(DATA.replace('2GiB', '2GiB, storage: other') + SCRATCH),
  check: (site) => {
    const record = recordOf(site, 'scsi1')?.record;
    return [
      ...(record?.storage === 'other' ? [] : [`the disk is on ${record?.storage}`]),
      ...(contentOf(site, 'scsi1') === 'kept' ? [] : ['what was written is gone']),
    ];
  },
};

/** `oxherd volumes delete`, and after it `apply`, which brings it to its end. */
export const VOLUME_DELETE: Scenario = {
  start: one(DATA),
  prepare: async (site, client) => {
    site.use(one(SPARE));
    await site.apply(client);
  },
  config: one(SPARE),
  run: async (site, client) => {
    const plan = planVolumeDelete(site.design, await observe(client, site.design), NAME);
    const volids = plan.steps.flatMap((step) => ('volid' in step ? [step.volid] : []));
    await site.apply(client, { plan, scope: { mayLose: new Set(volids) } });
  },
  check: (site) => {
    const config = site.lab.proxmox.pve.db.vms.get('1510')?.config ?? {};
    const unused = Object.keys(config).filter((key) => key.startsWith('unused'));
    return [
      ...(config.protection === '1' ? [] : ['the data VM is not protected']),
      ...unused.map((key) => `${key} is left`),
    ];
  },
};

/** A restore has given the disk to the Talos VM. */
export const HAND_OVER: Scenario = {
  start: one(DATA),
  prepare: async (site, client) => {
    const wwn = diskDrives(site.lab.proxmox.pve.db.vms.get('1510')?.config ?? {})[1]?.wwn ?? '';
    await client.runTask(() => client.stopVm('pve1', 151));
    await client.updateVm('pve1', 1510, { set: { protection: 0 } });
    await client.updateVm('pve1', 151, { delete: ['scsi2'] });
    await client.updateVm('pve1', 1510, { delete: ['scsi1'] });
    await client.updateVm('pve1', 1510, { delete: ['unused0'] });
    await client.runTask(() =>
      client.updateVmTask('pve1', 151, { set: { scsi2: `local-zfs:2,wwn=${wwn}` } }),
    );
    await client.runTask(() => client.startVm('pve1', 151));
  },
  config: one(DATA),
};

const CSI = '\n  pv-photos: { type: proxmox-csi, size: 1GiB, host: pve1 }';
const SMALL = { name: 'small', env: '' };
const STRANGER = '700';

/** A cluster of version 0.1.0 gets the names of this one, beside a VM of another cluster that has the same old tag. */
export const NEW_NAMES: Scenario = {
  start: one(DATA + CSI),
  prepare: async (site, client) => {
    await writeNote(site);
    await makeTagsOld(client, SMALL);
    await client.deletePool(clusterTag(SMALL));
    const tags = legacyTag(SMALL);
    await client.runTask(() =>
      client.createVm('pve1', Number(STRANGER), { name: 'stranger', tags, scsi0: 'local-zfs:1' }),
    );
  },
  config: one(DATA + CSI),
  check: (site) => {
    const { vms, pools } = site.lab.proxmox.pve.db;
    const old = [...vms.entries()].filter(([, vm]) => vm.config.tags?.split(';').includes(legacyTag(SMALL)));
    return [
      ...(old.map(([vmid]) => vmid).join() === STRANGER
        ? []
        : [`old tags: ${old.map(([vmid]) => vmid).join()}`]),
      ...(pools.get(legacyTag(SMALL)) ? ['the old pool is there'] : []),
      ...(contentOf(site, 'scsi1') === 'kept' ? [] : ['what was written is gone']),
    ];
  },
};
