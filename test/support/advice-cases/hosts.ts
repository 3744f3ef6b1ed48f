/** Hosts that are lost or drained, and nodes that are elsewhere than oxherd.yaml says. */
import type { AdvisedSituation } from '../advice.js';
import { ended } from '../cli.js';
import type { ClusterSite } from '../cluster-site.js';
import { root, runPrinted } from '../root-commands.js';
import { DATA_VOLUME, type SmallFile } from '../small-file.js';

const WITH_GROUP: SmallFile = {
  nodes: ['pool: { role: worker, count: 2, hosts: [pve2, pve3], ip: 10.20.30.61, vmid: 161 }'],
  volumes: [DATA_VOLUME, 'pg: { type: proxmox-csi, size: 1GiB, host: pve2, storage: local-zfs }'],
};

const LOST = ['host', 'lost', 'pve2', '--confirm', 'pve2'];

/** With its disks, for good, and everything done that `host lost` asks for. */
async function lose(site: ClusterSite): Promise<void> {
  site.lab.proxmox.pve.core.faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
  await site.lab.clock.sleep(120_000);
  root(site, 'pvecm delnode pve2');
  runPrinted(site, (await site.run(...LOST)).stdout);
  ended(await site.run(...LOST));
}

export const HOST_SITUATIONS: readonly AdvisedSituation[] = [
  {
    name: 'a member of a group was created elsewhere by host lost',
    built: WITH_GROUP,
    before: lose,
    says: /pool-1 runs on/,
    advice: /Set hosts: (\[[^\]]*\]) of the group pool/,
    edit: (config, hosts) => config.replace('hosts: [pve2, pve3]', `hosts: ${hosts}`),
    fill: () => 'write it',
    converges: false,
  },
  {
    name: 'the volume of the CSI driver was lost with its host',
    built: WITH_GROUP,
    before: lose,
    says: /volume pg: the Proxmox cluster has no host pve2|PersistentVolume pg means/,
    advice: /kubectl (?:-n \S+ )?delete [^;]*/,
    edit: (config) => config.replace('size: 1GiB, host: pve2', 'size: 1GiB, host: pve1'),
    holds: (site) => (site.config.includes('host: pve1, storage') ? [] : ['not edited']),
  },
];
