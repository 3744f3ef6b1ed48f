/** The rules of the interlock about VMs as a whole: power, moves, copies, snapshots. */
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { clusterTag } from '../formats/marks/cluster-names.js';
import { mayBeOurs } from '../formats/marks/ownership.js';
import { ownerOfVolume, storageOfVolume } from '../formats/proxmox/drive-slots.js';
import type { VolumeReference } from '../formats/proxmox/vm-config.js';
import { dataVmidOf, talosVmidOf } from '../model/identity.js';
import type { Guard, InterlockScope } from './interlock-guard.js';
import { type Reading, refuse } from './interlock-reading.js';
import { userText } from './interlock-users.js';

export class MachineGuard {
  constructor(
    private readonly client: ProxmoxReads,
    private readonly guard: Guard,
    private readonly scope: InterlockScope,
  ) {}

  async resize(node: string, vmid: number, disk: string, size: number | string): Promise<void> {
    const vm = await this.guard.checkOurs(node, vmid);
    const file = vm.config.bySlot.get(disk)?.file;
    if (file === undefined) return;
    if (typeof size === 'string' && !size.startsWith('+'))
      refuse(`resizing ${disk} of VM ${vmid} to ${size}`, 'sizes are given in bytes');
    if (typeof size !== 'number') return;
    // The VM's own `size=` may be stale: the storage knows.
    const { size: now } = await this.client.volumeInfo(node, file);
    if (size < now)
      refuse(
        `shrinking ${file} to ${size} bytes`,
        `it has ${now}, and what is behind the new end would be lost`,
      );
  }

  /** A move erases what it has copied: no other VM and no snapshot may name the source. */
  async move(
    node: string,
    vmid: number,
    { disk, targetVmid }: { readonly disk: string; readonly targetVmid?: number },
  ): Promise<void> {
    const vm = await this.guard.readOurs(node, vmid);
    const volid = vm.config.bySlot.get(disk)?.volid;
    const what = `moving ${disk} of VM ${vmid}`;
    if (volid !== undefined && ownerOfVolume(volid) !== vm.vmid) {
      refuse(
        what,
        targetVmid === undefined
          ? `the copy of ${volid} would belong to VM ${vmid} and be deleted with it`
          : `${volid} would be renamed while its owner still names it as it was`,
      );
    }
    if (vm.isData) await this.#needTalosVmStopped(vm, 'moving a disk of');
    if (vm.isData && targetVmid !== undefined)
      refuse(`moving ${volid ?? disk} off data VM ${vmid}`, 'kept data belongs to the data VM');
    if (targetVmid !== undefined && targetVmid !== dataVmidOf(vm.vmid))
      refuse(what, `VM ${targetVmid} is not its data VM`);
    if (volid === undefined) return;
    const held = vm.config.references.some(
      ({ section, volid: named }) => typeof section !== 'string' && named === volid,
    );
    if (held) refuse(what, `a snapshot of it holds ${volid}`);
    const [user] = await this.guard.users.of([volid], [vmid]);
    if (user) refuse(what, `${userText(user)} still names ${volid}`);
    await this.guard.needAllRead(what, node, [volid], [vmid]);
  }

  async start(node: string, vmid: number): Promise<void> {
    const vm = await this.guard.checkOurs(node, vmid);
    if (vm.isData) refuse(`starting data VM ${vmid}`, 'two machines would write the same disks');
    const disks = currentVolumes(vm).filter(({ role }) => role !== 'cdrom');
    const writer = await this.guard.users.runningWith(
      disks.map(({ volid }) => volid),
      vmid,
    );
    if (writer) refuse(`starting VM ${vmid}`, `${userText(writer)} runs and writes ${writer.volid}`);
  }

  /** For what must not be done to a data VM while its Talos VM writes its disks. */
  async atRest(node: string, vmid: number, verb: string): Promise<void> {
    const vm = await this.guard.checkOurs(node, vmid);
    if (vm.isData) await this.#needTalosVmStopped(vm, verb);
  }

  /** What a snapshot holds was made outside oxherd, and it is not for oxherd to decide about. */
  async deleteSnapshot(node: string, vmid: number): Promise<void> {
    await this.guard.checkOurs(node, vmid);
    refuse(`deleting a snapshot of VM ${vmid}`, 'it was created outside oxherd');
  }

  /**
   * A migration takes local volumes to the other host, perhaps under other names, and leaves those of other VMs behind:
   * who uses them must have detached them before. What lies on shared storage is not touched, if it is seen from there.
   */
  async migrate(node: string, vmid: number, target: string): Promise<void> {
    const vm = await this.guard.checkOurs(node, vmid);
    const places = await this.#places(node, target);
    const volumes = currentVolumes(vm).filter(({ role }) => role !== 'cdrom' && role !== 'cloudinit');
    for (const { slot, volid } of volumes) {
      if (places.unseen(volid))
        refuse(`migrating VM ${vmid} to ${target}`, `${volid} (${slot}) would be out of reach there`);
      if (ownerOfVolume(volid) !== vmid && places.local(volid))
        refuse(`migrating VM ${vmid} to ${target}`, `${volid} (${slot}) of another VM would stay behind`);
    }
    const moving = volumes.filter(({ volid }) => places.local(volid)).map(({ volid }) => volid);
    if (moving.length === 0) return;
    if (vm.isData) await this.#needTalosVmStopped(vm, 'migrating');
    // Another host may have a volume of the same name on a local storage: those VMs mean that one.
    const users = await this.guard.users.of(moving, [vmid]);
    const here = users.find((user) => user.node === node);
    if (here) refuse(`migrating VM ${vmid} to ${target}`, `${userText(here)} still names ${here.volid}`);
  }

  async rollback(node: string, vmid: number): Promise<void> {
    const vm = await this.guard.checkOurs(node, vmid);
    if (!vm.isData) refuse(`rolling back VM ${vmid}`, 'the snapshot includes the disks of its data VM');
    await this.#needTalosVmStopped(vm, 'roll back');
  }

  /** A VM that changes its pool leaves the backup jobs and the rights of the one it was in. */
  async joinPool(vmids: readonly number[]): Promise<void> {
    if (vmids.length === 0) return;
    const guests = await this.client.vms();
    for (const vmid of vmids) {
      const there = guests.find((guest) => guest.vmid === vmid);
      if (!there) refuse(`putting VM ${vmid} into a pool`, 'there is no such VM');
      await this.guard.checkOurs(there.node, vmid);
    }
  }

  /** What a job keeps, it prunes: only the job that this cluster has made is changed. */
  async changeBackupJob(id: string): Promise<void> {
    const job = (await this.client.backupJobs()).find((one) => one.id === id);
    if (!job?.settings.comment?.includes(`(${clusterTag(this.scope.cluster)})`))
      refuse(`changing the backup job ${id}`, 'its comment does not name this cluster');
  }

  async #needTalosVmStopped(vm: Reading, verb: string): Promise<void> {
    const talosVmid = talosVmidOf(vm.vmid);
    const there = (await this.client.vms()).find((candidate) => candidate.vmid === talosVmid);
    if (!there || !mayBeOurs(this.scope.cluster, there.tags)) return;
    const { status } = await this.client.vmStatus(there.node, there.vmid);
    if (status !== 'stopped') {
      refuse(
        `${verb} data VM ${vm.vmid}`,
        `its Talos VM ${there.vmid} is ${status} and writes the same disks`,
      );
    }
  }

  /** How volumes look from two hosts; a storage that no host lists counts as local. */
  async #places(from: string, to: string) {
    const { storages } = await this.client.resources();
    const at = (host: string, volid: string) =>
      storages.find((one) => one.node === host && one.storage === storageOfVolume(volid));
    const local = (volid: string) => at(from, volid)?.shared !== true;
    return { local, unseen: (volid: string) => !local(volid) && at(to, volid) === undefined };
  }
}

function currentVolumes(vm: Reading): VolumeReference[] {
  return vm.config.references.filter(({ section }) => typeof section === 'string');
}
