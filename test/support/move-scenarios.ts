/** Nodes that go to another host, cut off on the way: with disks that are copied, and with disks that stay. */
import { smallCluster } from './configs.js';
import type { Scenario } from './crash.js';
import type { VmSite } from './vm-site.js';

const TALOS = '151';
const DATA = '1510';

/** The worker on `host`; both hosts are there from the beginning. */
export function workerOn(host: string, nodeOptions = ''): string {
  return smallCluster({
    controlPlanes: 1,
    workers: 1,
    hosts: ['pve1'],
    volumes: '  data: { type: disk, size: 2GiB, on: worker }',
    more: 'hosts: { pve1: {}, pve2: {} }',
    nodeOptions,
  }).replace(/(work: \{ role: worker, count: 1, hosts: )\[pve1\]/, `$1[${host}]`);
}

/** What a guest writes to each disk of the data VM. */
function writeNotes(site: VmSite): void {
  const { volumes } = site.lab.proxmox.pve.db;
  for (const [key, volume] of [...volumes.entries()]) {
    if (volume.owner === Number(DATA))
      volumes.put(key, { ...volume, data: { data: { note: `kept ${volume.path}` } } });
  }
}

function checkMoved(site: VmSite): string[] {
  const { vms, volumes } = site.lab.proxmox.pve.db;
  const notes = [...volumes.values()]
    .filter((volume) => volume.owner === Number(DATA))
    .map((volume) => `${volume.data.data?.note} on ${volume.host}`)
    .sort();
  const wanted = ['kept vm-1510-disk-0 on pve2', 'kept vm-1510-disk-1 on pve2'];
  return [
    ...[TALOS, DATA].filter((vmid) => vms.get(vmid)?.host !== 'pve2').map((vmid) => `${vmid} is not on pve2`),
    ...(vms.get(TALOS)?.running ? [] : ['the Talos VM does not run']),
    ...(JSON.stringify(notes) === JSON.stringify(wanted) ? [] : [`the disks hold ${notes.join(', ')}`]),
  ];
}

/** Everything on local storage: both VMs stopped, the disks copied. */
export const HOST_MOVE: Scenario = {
  start: workerOn('pve1'),
  prepare: async (site) => writeNotes(site),
  config: workerOn('pve2'),
  check: checkMoved,
};
