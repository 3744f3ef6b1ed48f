/**
 * The rules of the interlock about volumes: what is erased, detached or written over. Each reads the VMs concerned, and
 * returns only where nothing can be lost that was not requested by name.
 */
import type { DestroyVm } from '../clients/proxmox/calls/vms.js';
import type { ProxmoxReads } from '../clients/proxmox/reads-and-writes.js';
import { EFI_LIMIT, SYSTEM_DISK } from '../formats/marks/drive-claim.js';
import { wwnOf } from '../formats/marks/identities.js';
import { type ClusterOwner, ownershipOf } from '../formats/marks/ownership.js';
import { notedSecrets } from '../formats/marks/secrets-note.js';
import { ownerOfVolume } from '../formats/proxmox/drive-slots.js';
import { parseDrive } from '../formats/proxmox/property-string.js';
import { isDriveSlot } from '../formats/proxmox/vm-config.js';
import { dataVmidOf, parseVolumeId, talosVmidOf, type Vmid } from '../model/identity.js';
import { guardTakeover, type TakeoverScope } from './interlock-adoption.js';
import { listedSize, placeOfVolume } from './interlock-places.js';
import {
  claimsOn,
  namesOn,
  type Reading,
  readConfigNow,
  readIfThere,
  readVmNow,
  refuse,
} from './interlock-reading.js';
import { userText, VolumeUsers } from './interlock-users.js';
import type { RealTime } from './lock/freshness.js';

export interface InterlockScope extends TakeoverScope {
  readonly cluster: ClusterOwner;
  /**
   * Volumes by their ids whose loss was requested by name in this run (`volumes delete`, `destroy --delete-data`, each
   * shown in the plan), and nothing else.
   */
  readonly mayLose?: ReadonlySet<string>;
  /**
   * Volumes by their ids whose lines may leave their VMs because no storage has them any more (`volumes forget`). Each
   * storage is listed again before the call: a volume that exists is not one of them.
   */
  readonly mayForget?: ReadonlySet<string>;
  /** Names of volumes in oxherd.yaml: whose hash a WWN is, is ours. */
  readonly names?: readonly string[];
  readonly clock?: RealTime;
}

type Claimed = ReturnType<typeof claimsOn>[number];

const EPHEMERAL = 'ephemeral';

export class Guard {
  readonly users: VolumeUsers;
  /** Volumes that this run saw with their identity before they became `unusedN`: a replaced system disk, a named loss. */
  readonly #released = new Set<string>();

  constructor(
    private readonly client: ProxmoxReads,
    private readonly scope: InterlockScope,
  ) {
    this.users = new VolumeUsers(client, scope.clock);
  }

  /** A new VM sees volumes of its own data VM, and makes its own; nothing is restored over what is there. */
  async create(vmid: number, params: Readonly<Record<string, unknown>>): Promise<void> {
    for (const [key, value] of Object.entries(params)) {
      if (value === undefined) continue;
      if (/^(archive|restore|force|unused\d+)$/.test(key))
        refuse(`creating VM ${vmid} with ${key}`, 'oxherd creates new VMs and restores none');
      if (isDriveSlot(key)) await this.#mayAttach(vmid, false, key, String(value));
    }
  }

  async destroy(node: string, vmid: number, options: DestroyVm): Promise<void> {
    const what = `destroying VM ${vmid}`;
    if (options.purge) refuse(`${what} with purge`, 'it takes the VM out of jobs that others have made');
    if (options.destroyUnreferencedDisks) {
      refuse(
        `${what} with destroy-unreferenced-disks`,
        'it erases every volume with that id in its name, used or not',
      );
    }
    const ours = await this.checkOurs(node, vmid);
    await this.#needPairOurs(what, ours);
    const seen = await this.#look(node, ours);
    const owned = seen.claims.filter((drive) => drive.owned);
    for (const drive of owned.filter(({ claim }) => claim === 'made'))
      await this.#needSmall(what, node, drive);
    await this.#needNoUser(
      what,
      owned.map((drive) => drive.volid),
      [vmid],
    );
    const kept = owned.filter(({ volid }) => this.#mayLose(volid)).map(({ volid }) => volid);
    await this.needAllRead(what, node, kept, [vmid]);
    // Proxmox's call takes no digest, so the VM is read again last: nothing else is asked between this and the call.
    const vm = await this.readOurs(node, vmid);
    const [snapshot] = Object.keys(vm.config.state.snapshots ?? {});
    if (snapshot !== undefined)
      refuse(what, `it has the snapshot ${snapshot}, which would be deleted with it`);
    for (const drive of claimsOn(this.scope.cluster, vm, seen.names)) {
      if (!drive.owned || drive.claim === 'image' || drive.claim === 'made') continue;
      if (drive.claim === 'system' && seen.hasDataVm) continue;
      if (drive.claim === 'foreign')
        refuse(what, `it owns ${drive.volid} (${drive.slot}), which was not created by oxherd`);
      if (!this.#mayLose(drive.volid))
        refuse(what, `it owns ${drive.volid} (${drive.slot}), which must be kept`);
    }
  }

  async change(
    node: string,
    vmid: number,
    change: {
      readonly set?: Readonly<Record<string, unknown>>;
      readonly delete?: readonly string[];
      readonly force?: boolean;
    },
  ): Promise<void> {
    const special = this.scope.mayAdopt?.has(vmid) || this.scope.mayRelease?.has(vmid);
    if (special && guardTakeover(this.scope, await readVmNow(this.client, node, vmid), change)) return;
    const { vm, claims, hasDataVm, data } = await this.#look(node, await this.readOurs(node, vmid));
    const { set = {}, delete: remove = [], force = false } = change;
    for (const key of remove) {
      for (const drive of claims.filter(({ slot }) => slot === key)) {
        const right = vm.isData || !drive.wwn ? undefined : data?.config.byWwn.get(drive.wwn);
        // Of two with one identity the data VM has the right one: the other may be detached, and is kept.
        if (!force && drive.claim === 'kept' && right && right.file !== drive.volid) continue;
        await this.#remove(node, vm, drive, force);
      }
    }
    for (const [key, value] of Object.entries(set)) {
      if (value === undefined) continue;
      if (/^unused\d+$/.test(key)) refuse(`setting ${key} of VM ${vmid}`, 'a volume there has no identity');
      if (!isDriveSlot(key)) continue;
      await this.#mayAttach(vmid, vm.isData, key, String(value));
      await this.#replace(node, vm, claims, hasDataVm, key, String(value));
    }
    const unprotects = set.protection !== undefined && Number(set.protection) === 0;
    const named = (volid: string) => this.#mayLose(volid) || this.scope.mayForget?.has(volid) === true;
    if (vm.isData && unprotects && !claims.some(({ volid, owned }) => owned && named(volid)))
      refuse(`taking the protection off data VM ${vmid}`, 'only the deletion of a named volume may do that');
  }

  /** Without `force` an own volume becomes `unusedN` and loses its identity; with it, it is erased. */
  async #remove(node: string, vm: Reading, drive: Claimed, force: boolean): Promise<void> {
    const { volid, slot, claim, owned } = drive;
    const what = `removing ${slot} of VM ${vm.vmid}`;
    if (!owned || claim === 'image') return;
    if (claim === 'made') return this.#needSmall(what, node, drive);
    if (!force && vm.isData && this.scope.mayForget?.has(volid)) {
      const place = await placeOfVolume(this.client, node, volid);
      if (place !== undefined) refuse(what, `${volid} ${place}`);
      return;
    }
    if (slot.startsWith('unused')) {
      if (!this.#released.has(volid)) refuse(what, `it erases ${volid}`);
      return this.#needNoUser(what, [volid], [vm.vmid]);
    }
    if (claim !== 'kept' || !this.#mayLose(volid)) {
      const why = force
        ? `it erases ${volid}`
        : `${volid} would lose its identity, and the next removal erases it`;
      refuse(what, why);
    }
    this.#released.add(volid);
    await this.#needNoUser(what, [volid], [vm.vmid]);
    await this.needAllRead(what, node, [volid], [vm.vmid]);
    const held = vm.config.references.find(
      ({ section, volid: named }) => typeof section !== 'string' && named === volid,
    );
    if (held) refuse(what, `a snapshot of VM ${vm.vmid} holds ${volid}`);
  }

  /** Another volume on a taken slot: an own one becomes `unusedN`, a foreign one just vanishes. */
  async #replace(
    node: string,
    vm: Reading,
    claims: readonly Claimed[],
    hasDataVm: boolean,
    key: string,
    value: string,
  ): Promise<void> {
    const next = parseDrive(value);
    for (const drive of claims.filter(({ slot }) => slot === key)) {
      const { volid, claim, owned } = drive;
      const what = `writing ${next.file} to ${key} of VM ${vm.vmid}`;
      if (volid === next.file || claim === 'image') continue;
      if (owned && claim === 'system' && hasDataVm) {
        // A new system disk on the slot of the old one is what a replace is.
        this.#released.add(volid);
        continue;
      }
      if (!(owned && claim === 'made' && /cloudinit/.test(volid))) refuse(what, `${volid} is there`);
      await this.#needSmall(what, node, drive);
    }
  }

  /** Only volumes of the VM itself or of its data VM, and none that another machine uses. */
  async #mayAttach(vmid: number, isData: boolean, key: string, value: string): Promise<void> {
    const volid = parseVolumeId(parseDrive(value).file);
    const owner = volid && ownerOfVolume(volid);
    if (volid === undefined || owner === undefined) return;
    const allowed = isData ? [vmid] : [vmid, vmid * 10];
    const what = `writing ${volid} to ${key} of VM ${vmid}`;
    if (!allowed.includes(owner)) refuse(what, `it belongs to VM ${owner}`);
    await this.#needNoUser(what, [volid], [owner, vmid, isData ? talosVmidOf(vmid as Vmid) : vmid * 10]);
  }

  async deleteVolume(node: string, volid: string): Promise<void> {
    const what = `deleting ${volid}`;
    if (/^[^:]+:(iso|import)\//.test(volid)) return;
    if (!this.#mayLose(volid)) refuse(what, 'volumes are deleted only when named in a command');
    await this.#needNoUser(what, [volid], []);
    await this.needAllRead(what, node, [volid], []);
  }

  /** What is erased must be used by no guest, also by none that cannot be asked. */
  async needAllRead(
    what: string,
    node: string,
    volids: readonly string[],
    except: readonly number[],
  ): Promise<void> {
    const guest = await this.users.unread(node, volids, except);
    if (guest) refuse(what, `${guest} cannot be read and may use ${volids.join(', ')}`);
  }

  /** What the line says of the size may be wrong; the storage knows. A volume that it does not list cannot be lost. */
  async #needSmall(what: string, node: string, { volid, slot }: Claimed): Promise<void> {
    if ((await listedSize(this.client, node, volid)) > EFI_LIMIT)
      refuse(what, `${volid} (${slot}) is too large for what oxherd makes there: it may be data`);
  }

  async #needNoUser(what: string, volids: readonly string[], except: readonly number[]): Promise<void> {
    const [user] = await this.users.of(volids, except);
    if (user) refuse(what, `${userText(user)} names ${user.volid}`);
  }

  /** The VM, what each of its volumes is to us, and whether its node keeps its data on a data VM. */
  async #look(
    node: string,
    vm: Reading,
  ): Promise<{
    vm: Reading;
    claims: Claimed[];
    hasDataVm: boolean;
    data: Reading | undefined;
    names: string[];
  }> {
    const data = vm.isData ? vm : await this.#dataVmOf(node, vm);
    const names = namesOn([vm, data], [EPHEMERAL, ...(this.scope.names ?? [])]);
    const ephemeral = wwnOf(this.scope.cluster, vm.vmid, EPHEMERAL);
    return {
      vm,
      claims: claimsOn(this.scope.cluster, vm, names),
      data,
      names,
      hasDataVm: !vm.isData && data?.config.byWwn.has(ephemeral) === true,
    };
  }

  async #dataVmOf(node: string, vm: Reading): Promise<Reading | undefined> {
    const vmid = dataVmidOf(vm.vmid);
    if (vmid === undefined) return undefined;
    const near = await readIfThere(this.client, node, vmid);
    if (near) return this.#isOurs(near) && near.isData ? near : undefined;
    const there = (await this.client.vms()).find((candidate) => candidate.vmid === vmid);
    const far = there && there.node !== node ? await readIfThere(this.client, there.node, vmid) : undefined;
    return far && this.#isOurs(far) && far.isData ? far : undefined;
  }

  /** A VM without a fingerprint belongs to the cluster whose fingerprint the other VM of its node carries. */
  async #needPairOurs(what: string, vm: Reading): Promise<void> {
    if (notedSecrets(vm.config.effective.description ?? '') !== undefined) return;
    const vmid = vm.isData ? talosVmidOf(vm.vmid) : dataVmidOf(vm.vmid);
    const there = (await this.client.vms()).find((candidate) => candidate.vmid === vmid);
    const other = there && (await readIfThere(this.client, there.node, there.vmid));
    const ownership = other && ownershipOf(this.scope.cluster, other.vmid, other.config.effective);
    if (other && ownership && !ownership.ours && ownership.because === 'secrets')
      refuse(what, `VM ${other.vmid} of the same node was created with the secrets of another cluster`);
  }

  /** With what its snapshots hold. */
  async readOurs(node: string, vmid: number): Promise<Reading> {
    return this.#needOurs(await readVmNow(this.client, node, vmid));
  }

  /** Without its snapshots. */
  async checkOurs(node: string, vmid: number): Promise<Reading> {
    return this.#needOurs(await readConfigNow(this.client, node, vmid));
  }

  #needOurs(vm: Reading): Reading {
    const ownership = ownershipOf(this.scope.cluster, vm.vmid, vm.config.effective);
    if (!ownership.ours) refuse(`changing VM ${vm.vmid}`, `it is not part of this cluster: ${ownership.why}`);
    return vm;
  }

  #isOurs(vm: Reading): boolean {
    return ownershipOf(this.scope.cluster, vm.vmid, vm.config.effective).ours;
  }

  /** The node's system disk by its identity. */
  isSystemDisk(vm: Reading, wwn: string | undefined): boolean {
    return wwn === wwnOf(this.scope.cluster, vm.vmid, SYSTEM_DISK);
  }

  #mayLose(volid: string): boolean {
    return this.scope.mayLose?.has(volid) === true;
  }
}
