/** The rules of the interlock: each reads the VMs concerned, and returns only where nothing can be lost. */
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import { parseDataNotes } from '../formats/data-notes.js';
import { DATA_TAG } from '../formats/data-tag.js';
import { ownerOfVolume, storageOfVolume } from '../formats/drive-slots.js';
import { wwnOf } from '../formats/identities.js';
import { type ClusterOwner, mayBeOurs, ownershipOf } from '../formats/ownership.js';
import { parseDrive, parseTags } from '../formats/property-string.js';
import { isDriveSlot, stateOfPending, vmConfigOf } from '../formats/vm-config.js';
import { parseVmid } from '../model/identity.js';
import { type Reading, refuse, volumesOf } from './interlock-reading.js';

export interface InterlockScope {
  readonly cluster: ClusterOwner;
  /**
   * Volumes whose loss somebody asked for by name (`volumes delete`, `destroy --delete-data --confirm`), and nothing
   * else. `*`: all of this cluster.
   */
  readonly mayLose?: ReadonlySet<string> | '*';
}

export class Guard {
  /** System disks that were seen to be replaced: of what becomes unused, these alone are worth nothing. */
  readonly #replaced = new Set<string>();

  constructor(
    private readonly client: ProxmoxClient,
    private readonly scope: InterlockScope,
  ) {}

  /** A new VM may see volumes, and must not make a second owner's name for one: what it names belongs to our VMs. */
  async create(vmid: number, params: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [key, value] of Object.entries(params)) {
      if (/^unused\d+$/.test(key))
        refuse(`creating VM ${vmid} with ${key}`, 'a volume there has no identity');
      if (value !== undefined && /^(archive|restore)$/.test(key))
        refuse(`restoring VM ${vmid}`, 'oxherd restores no VM: what is on its disks would be replaced');
    }
  }

  /** The state on disk stays; what the snapshot alone holds would be gone, and that is not ours to decide. */
  async deleteSnapshot(node: string, vmid: number): Promise<void> {
    await this.#readOurs(node, vmid);
    refuse(`deleting a snapshot of VM ${vmid}`, 'what it holds was made outside oxherd');
  }

  async destroy(node: string, vmid: number, unreferenced: boolean): Promise<void> {
    if (unreferenced) {
      refuse(
        `destroying VM ${vmid} with destroy-unreferenced-disks`,
        'it erases every volume with that id in its name, used or not',
      );
    }
    const vm = await this.#readOurs(node, vmid);
    for (const { slot: key, volid, wwn } of volumesOf(vm)) {
      if (ownerOfVolume(volid) !== vmid || this.#mayLose(vm, volid)) continue;
      if (vm.isData || this.#carriesKeptWwn(vm, wwn) || key.startsWith('unused')) {
        refuse(`destroying VM ${vmid}`, `it owns ${volid} (${key}), which must be kept`);
      }
    }
  }

  async change(
    node: string,
    vmid: number,
    set: Readonly<Record<string, unknown>>,
    remove: readonly string[],
  ): Promise<void> {
    const vm = await this.#readOurs(node, vmid);
    for (const key of remove) this.#removeKey(vm, key);
    for (const [key, value] of Object.entries(set)) {
      if (isDriveSlot(key) && !key.startsWith('unused') && value !== undefined)
        this.#replaceDrive(vm, key, String(value));
      if (/^unused\d+$/.test(key)) refuse(`setting ${key} of VM ${vmid}`, 'a volume there has no identity');
    }
    if (
      vm.isData &&
      set.protection !== undefined &&
      Number(set.protection) === 0 &&
      this.scope.mayLose === undefined &&
      vm.deleting.size === 0
    ) {
      refuse(`taking the protection off data VM ${vmid}`, 'only the deletion of a named volume may do that');
    }
  }

  #removeKey(vm: Reading, key: string): void {
    for (const { slot: at, volid, wwn } of volumesOf(vm)) {
      if (at !== key || this.#mayLose(vm, volid)) continue;
      const owned = ownerOfVolume(volid) === vm.vmid;
      if (key.startsWith('unused') && this.#replaced.has(volid)) continue;
      if (key.startsWith('unused')) refuse(`removing ${key} of VM ${vm.vmid}`, `it erases ${volid}`);
      if (owned && (vm.isData || this.#carriesKeptWwn(vm, wwn))) {
        refuse(
          `removing ${key} of VM ${vm.vmid}`,
          `${volid} would lose its identity, and the next removal erases it`,
        );
      }
    }
  }

  /** Another volume on a taken slot: an own one becomes `unusedN`, a foreign one just vanishes. */
  #replaceDrive(vm: Reading, key: string, value: string): void {
    const next = parseDrive(value);
    for (const { slot: at, volid, wwn } of volumesOf(vm)) {
      if (at !== key || volid === next.file) continue;
      // A new system disk on the slot of the old one is what a replace is.
      if (ownerOfVolume(volid) === vm.vmid && !vm.isData && !this.#carriesKeptWwn(vm, wwn)) {
        if (wwn === wwnOf(this.scope.cluster, vm.vmid, 'os')) this.#replaced.add(volid);
        continue;
      }
      refuse(`writing ${next.file} to ${key} of VM ${vm.vmid}`, `${volid} is there`);
    }
  }

  async deleteVolume(volid: string): Promise<void> {
    if (this.#mayLose(undefined, volid)) return;
    if (/:(iso|import|vztmpl|snippets|backup)\//.test(volid)) return;
    refuse(`deleting ${volid}`, 'volumes are deleted only when somebody asks for it by name');
  }

  async resize(node: string, vmid: number, disk: string, size: number | string): Promise<void> {
    const vm = await this.#readOurs(node, vmid);
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

  async move(node: string, vmid: number, disk: string, targetVmid: number | undefined): Promise<void> {
    const vm = await this.#readOurs(node, vmid);
    const volid = vm.config.bySlot.get(disk)?.file;
    const foreign = volid !== undefined && ownerOfVolume(volid) !== vm.vmid;
    if (foreign) {
      refuse(
        `moving ${disk} of VM ${vmid}`,
        targetVmid === undefined
          ? `the copy of ${volid} would belong to VM ${vmid} and go with it`
          : `${volid} would be renamed while its owner still names it as it was`,
      );
    }
    if (vm.isData) await this.#needTalosVmStopped(vm, 'moving a disk of');
    if (vm.isData && targetVmid !== undefined)
      refuse(`giving ${volid ?? disk} away from data VM ${vmid}`, 'kept data belongs to the data VM');
  }

  async start(node: string, vmid: number): Promise<void> {
    const vm = await this.#readOurs(node, vmid);
    if (vm.isData) refuse(`starting data VM ${vmid}`, 'two machines would write the same disks');
  }

  /** For what must not be done to a data VM while its Talos VM writes its disks. */
  async atRest(node: string, vmid: number, verb: string): Promise<void> {
    const vm = await this.#readOurs(node, vmid);
    if (vm.isData) await this.#needTalosVmStopped(vm, verb);
  }

  /**
   * A migration takes local volumes to the other host, perhaps under other names, and leaves those of other VMs behind:
   * who uses them must have let go before. What lies on shared storage is not touched, if it is seen from there too.
   */
  async migrate(node: string, vmid: number, target: string): Promise<void> {
    const vm = await this.#readOurs(node, vmid);
    const places = await this.#places(node, target);
    for (const { slot: key, volid } of volumesOf(vm)) {
      if (places.unseen(volid))
        refuse(`migrating VM ${vmid} to ${target}`, `${volid} (${key}) would be out of reach there`);
      if (ownerOfVolume(volid) !== vmid && places.local(volid))
        refuse(`migrating VM ${vmid} to ${target}`, `${volid} (${key}) of another VM would stay behind`);
    }
    if (!vm.isData || !volumesOf(vm).some(({ volid }) => places.local(volid))) return;
    await this.#needTalosVmStopped(vm, 'migrating');
    const user = await this.#talosVmOf(vm);
    if (!user) return;
    for (const { slot: key, volid } of volumesOf(await this.#readOurs(user.node, user.vmid))) {
      if (ownerOfVolume(volid) === vmid && places.local(volid))
        refuse(`migrating data VM ${vmid} to ${target}`, `${key} of VM ${user.vmid} still names ${volid}`);
    }
  }

  async rollback(node: string, vmid: number): Promise<void> {
    const vm = await this.#readOurs(node, vmid);
    if (!vm.isData) refuse(`rolling back VM ${vmid}`, 'the snapshot includes the disks of its data VM');
    await this.#needTalosVmStopped(vm, 'roll back');
  }

  async #needTalosVmStopped(vm: Reading, verb: string): Promise<void> {
    const there = await this.#talosVmOf(vm);
    if (!there) return;
    const { status } = await this.client.vmStatus(there.node, there.vmid);
    if (status !== 'stopped') {
      refuse(
        `${verb} data VM ${vm.vmid}`,
        `its Talos VM ${there.vmid} is ${status} and writes the same disks`,
      );
    }
  }

  async #talosVmOf(data: Reading): Promise<{ readonly node: string; readonly vmid: number } | undefined> {
    const talosVmid = Math.floor(data.vmid / 10);
    const there = (await this.client.vms()).find((candidate) => candidate.vmid === talosVmid);
    return there && mayBeOurs(this.scope.cluster, there.tags) ? there : undefined;
  }

  /** How volumes look from two hosts; a storage that nobody lists counts as local. */
  async #places(from: string, to: string) {
    const { storages } = await this.client.resources();
    const at = (host: string, volid: string) =>
      storages.find((one) => one.node === host && one.storage === storageOfVolume(volid));
    const local = (volid: string) => at(from, volid)?.shared !== true;
    return { local, unseen: (volid: string) => !local(volid) && at(to, volid) === undefined };
  }

  async #readOurs(node: string, vmid: number): Promise<Reading> {
    const config = vmConfigOf(stateOfPending(await this.client.vmPending(node, vmid)));
    const tags = parseTags(config.effective.tags ?? '');
    const id = parseVmid(vmid);
    if (!id) refuse(`changing VM ${vmid}`, 'it has no id that a VM of ours can have');
    const ownership = ownershipOf(this.scope.cluster, id, config.effective);
    if (!ownership.ours) refuse(`changing VM ${vmid}`, `it is not ours: ${ownership.why}`);
    const isData = tags.includes(DATA_TAG);
    const deleting = isData ? parseDataNotes(config.effective.description ?? '').deleting.values() : [];
    return { vmid: id, config, isData, deleting: new Set(deleting) };
  }

  /** By this run's permission, or by that of an earlier one which was cut off: it stands on the data VM itself. */
  #mayLose(vm: Reading | undefined, volid: string): boolean {
    const { mayLose } = this.scope;
    return mayLose === '*' || mayLose?.has(volid) === true || vm?.deleting.has(volid) === true;
  }

  #carriesKeptWwn(vm: Reading, wwn: string | undefined): boolean {
    return wwn?.startsWith('0x3') === true && wwn !== wwnOf(this.scope.cluster, vm.vmid, 'os');
  }
}
