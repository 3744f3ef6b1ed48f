/** VMs that were changed outside oxherd, and the commands that are printed for them. */
import { GIB } from '../../../src/model/size.js';
import type { AdvisedSituation } from '../advice.js';
import type { ClusterSite } from '../cluster-site.js';

export const HOST = 'pve2';
export const TALOS = 151;
export const DATA = 1510;

const config = ({ lab }: ClusterSite, vmid: number) => lab.proxmox.pve.db.vms.get(String(vmid))?.config ?? {};

/** As root, with the task that it starts done. */
export async function ask(
  { lab }: ClusterSite,
  method: string,
  path: string,
  fields: Record<string, string | number> = {},
): Promise<void> {
  await lab.proxmox.asRoot({ host: 'pve1', method, path }, fields);
  await lab.clock.sleep(60_000);
}

/** As a task that died leaves it. */
function lock(site: ClusterSite, vmid: number, kind: string): void {
  const { vms } = site.lab.proxmox.pve.db;
  const vm = vms.get(String(vmid));
  if (vm) vms.put(String(vmid), { ...vm, config: { ...vm.config, lock: kind } });
}

export const VM_SITUATIONS: readonly AdvisedSituation[] = [
  {
    name: 'the tag of a Talos VM was removed',
    before: (_, hand) => hand.updateVm(HOST, TALOS, { set: { tags: 'mine' } }),
    says: /VM 151 .*but not the tag/,
    advice: /qm set 151 --.*/,
  },
  {
    name: 'the tag of a data VM was removed',
    before: (_, hand) => hand.updateVm(HOST, DATA, { set: { tags: 'mine' } }),
    says: /VM 1510 .*but not the tag/,
    advice: /qm set 1510 --.*/,
  },
  {
    name: 'a VM is suspended to disk',
    before: (site) => ask(site, 'POST', `/nodes/${HOST}/qemu/${TALOS}/status/suspend`, { todisk: 1 }),
    says: /VM 151 is (locked|suspended)/,
    advice: /qm (?:start|unlock|resume) 151/,
    givesUp: [/vm-151-state-suspend/],
    holds: (site) => (config(site, TALOS).vmstate === undefined ? [] : ['the saved memory was not resumed']),
  },
  ...['backup', 'snapshot', 'rollback', 'migrate', 'clone', 'snapshot-delete'].map(
    (kind): AdvisedSituation => ({
      name: `a stale lock: ${kind}`,
      before: (site) => lock(site, TALOS, kind),
      says: /VM 151 is locked/,
      advice: /qm unlock 151/,
    }),
  ),
  {
    name: 'status tells of a stale lock',
    command: ['status'],
    before: (site) => lock(site, TALOS, 'backup'),
    says: /VM 151 is locked/,
    advice: /qm unlock 151/,
  },
  {
    name: 'a data VM runs',
    before: (_, hand) => hand.runTask(() => hand.startVm(HOST, DATA)),
    says: /data VM 1510 is running/,
    advice: /qm stop 1510/,
  },
  {
    name: 'a VM runs without a system disk',
    before: async (site, hand) => {
      // Proxmox does not unplug the boot disk, and keeps the change for the next start.
      await hand.updateVm(HOST, TALOS, { delete: ['scsi0'] }).catch(() => {});
      void site;
    },
    says: /VM 151 runs without a system disk/,
    advice: /qm stop 151/,
    givesUp: [/identity .*vm-151-disk-0/],
  },
  {
    name: 'the system disk lost its identity',
    before: (site, hand) =>
      hand.updateVm(HOST, TALOS, {
        set: { scsi0: config(site, TALOS).scsi0?.replace(/,wwn=[^,]*/, '') ?? '' },
      }),
    says: /no disk with the identity/,
    advice: /qm set 151 --scsi0 [^;\n]*/,
  },
  {
    name: 'a data disk is on two slots',
    before: async (site, hand) => {
      await hand.runTask(() => hand.stopVm(HOST, TALOS));
      await hand.updateVm(HOST, TALOS, { set: { scsi7: config(site, TALOS).scsi2 ?? '' } });
    },
    says: /twice/,
    advice: /qm set 151 --delete \w+/,
  },
  {
    name: 'the system disk is on sata',
    before: async (site, hand) => {
      await hand.runTask(() => hand.stopVm(HOST, TALOS));
      const line = config(site, TALOS).scsi0 ?? '';
      await hand.updateVm(HOST, TALOS, { delete: ['scsi0'] });
      await hand.updateVm(HOST, TALOS, {
        set: { sata0: line.replace(/,iothread=1/, ''), boot: 'order=sata0' },
      });
    },
    says: /oxherd keeps disks on scsi/,
    advice: /qm set 151 --delete [^;\n]*/,
  },
  {
    name: 'a data disk is on sata',
    before: async (site, hand) => {
      await hand.runTask(() => hand.stopVm(HOST, TALOS));
      const line = config(site, TALOS).scsi2 ?? '';
      await hand.updateVm(HOST, TALOS, { delete: ['scsi2'] });
      await hand.updateVm(HOST, TALOS, { set: { sata2: line.replace(/,iothread=1/, '') } });
    },
    says: /oxherd keeps disks on scsi/,
    advice: /qm set 151 --delete [^;)\n]*/,
  },
  {
    name: 'an ISO image keeps a VM from moving',
    file: { worker: ', host: pve3' },
    before: async (site, hand) => {
      site.config = site.config.replace('host: pve2, ', '');
      const { volumes } = site.lab.proxmox.pve.db;
      volumes.put('pve2/local:iso/tool.iso', {
        host: HOST,
        storage: 'local',
        path: 'iso/tool.iso',
        content: 'iso',
        format: 'iso',
        size: GIB,
        used: GIB,
        ctime: 0,
        data: { kind: 'empty' } as never,
        snapshots: {},
      });
      await hand.updateVm(HOST, TALOS, { set: { ide2: 'local:iso/tool.iso,media=cdrom' } });
    },
    says: /tool.iso/,
    advice: /qm set 151 --ide2 none,media=cdrom/,
  },
  {
    name: 'a snapshot keeps a VM from moving',
    file: { worker: ', host: pve3' },
    before: async (site, hand) => {
      site.config = site.config.replace('host: pve2, ', '');
      await hand.runTask(() => hand.stopVm(HOST, TALOS));
      await ask(site, 'POST', `/nodes/${HOST}/qemu/${DATA}/snapshot`, { snapname: 'mine' });
    },
    says: /has snapshots|has the snapshot/,
    advice: /qm delsnapshot 1510 mine/,
  },
];
