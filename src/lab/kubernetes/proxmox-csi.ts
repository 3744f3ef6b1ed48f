import { parsePropertyString } from '../../formats/proxmox/property-string.js';
import { readYaml } from '../../formats/text/yaml-text.js';
import type { Pve } from '../proxmox/api.js';
import type { VmRecord } from '../proxmox/db.js';
import { type Caller, callerWithId } from '../proxmox/http/request.js';
import { updateVm } from '../proxmox/qemu/config/update.js';
import { resizeDrive } from '../proxmox/qemu/disks/resize.js';
import { allocate, free } from '../proxmox/storage/allocate.js';
import { findVolume } from '../proxmox/volumes.js';
import type { ObjectReader } from './controllers/cluster-objects.js';
import type { CsiBackend } from './feed.js';
import { at, listOf, textOf } from './json.js';

/** The driver's own place in the names of volumes it makes. */
const DYNAMIC_VMID = 9999;
const LAST_SLOT = 29;

/**
 * What proxmox-csi-plugin v0.19.1 does on the hypervisor, with the token of its Kubernetes secret and the rights of
 * that token: without the secret, or without a right, nothing is attached.
 */
export function proxmoxCsi(api: ObjectReader, pve: () => Pve | undefined): CsiBackend {
  const caller = (): Caller => {
    const running = pve();
    if (!running) throw new Error('the Proxmox API does not answer');
    return callerWithId(running, tokenOf(api));
  };
  return {
    create({ name, bytes, parameters, zone }) {
      const by = caller();
      const storage = parameters.storage ?? '';
      by.require(`/storage/${storage}`, ['Datastore.AllocateSpace']);
      const volume = allocate(by.pve, {
        host: zone,
        storage,
        vmid: DYNAMIC_VMID,
        name: `vm-${DYNAMIC_VMID}-${name}`,
        size: bytes,
      });
      const { shared = false } = by.pve.db.storages.get(storage) ?? {};
      return [regionOf(api), shared ? '' : zone, storage, volume.path].join('/');
    },
    delete(handle) {
      const by = caller();
      const { zone, storage, volid } = parseHandle(handle);
      by.require(`/storage/${storage}`, ['Datastore.Allocate']);
      free(by.pve, zone || anyHost(by.pve), volid);
    },
    attach(handle, node) {
      const by = caller();
      const vm = machineOf(by.pve, api, node);
      const { zone, storage, volid } = parseHandle(handle);
      if (zone !== '' && zone !== vm.host)
        throw new Error(`volume ${volid} is on ${zone}, VM ${vm.vmid} is on ${vm.host}`);
      by.require(`/storage/${storage}`, ['Datastore.Audit']);
      if (!findVolume(by.pve.db, vm.host, volid)) throw new Error(`volume ${volid} does not exist`);
      if (slotOf(vm, volid) !== undefined) return;
      const slot = freeSlot(vm);
      // As the driver names its disks: hex of `PVC-ID01` for scsi1.
      const wwn = `0x${Buffer.from(`PVC-ID${String(slot).padStart(2, '0')}`).toString('hex')}`;
      const backup = isBackedUp(api, handle) ? 1 : 0;
      const line = `${volid},backup=${backup},iothread=1,replicate=0,wwn=${wwn}`;
      change(by, vm, { set: { [`scsi${slot}`]: line }, remove: [] });
    },
    detach(handle, node) {
      const by = caller();
      const vm = machineOf(by.pve, api, node);
      const slot = slotOf(vm, parseHandle(handle).volid);
      if (slot !== undefined) change(by, vm, { set: {}, remove: [slot] });
    },
    nodeId(node) {
      const running = pve();
      return running ? `${node}/${machineOf(running, api, node).vmid}` : node;
    },
    expand(handle, node, bytes) {
      const by = caller();
      const vm = machineOf(by.pve, api, node);
      const { volid } = parseHandle(handle);
      const disk = slotOf(vm, volid);
      if (disk === undefined) throw new Error(`volume ${volid} is not attached to VM ${vm.vmid}`);
      by.require(`/vms/${vm.vmid}`, ['VM.Config.Disk']);
      resizeDrive(by.pve, { host: vm.host, vmid: vm.vmid, disk, size: String(bytes), user: by.who.id });
    },
  };
}

/** As its StorageClass or whoever made the PersistentVolume said. */
function isBackedUp(api: ObjectReader, handle: string): boolean {
  return api
    .list('persistentvolumes')
    .some(
      ({ spec }) =>
        textOf(at(spec, 'csi', 'volumeHandle')) === handle &&
        /^(true|1)$/.test(textOf(at(spec, 'csi', 'volumeAttributes', 'backup'))),
    );
}

function change(
  by: Caller,
  vm: VmRecord,
  what: { set: Record<string, string>; remove: readonly string[] },
): void {
  updateVm(
    by,
    { host: vm.host, vmid: vm.vmid, ...what, revert: [], force: false, skipLock: false, sent: '' },
    () => {},
  );
}

function configOf(api: ObjectReader): unknown {
  const secret = api.find('secrets', 'csi-proxmox', 'proxmox-csi-plugin');
  const text = Buffer.from(textOf(at(secret, 'data', 'config.yaml')), 'base64').toString('utf8');
  return listOf(at(readYaml(text), 'clusters'))[0];
}

function tokenOf(api: ObjectReader): string {
  const id = textOf(at(configOf(api), 'token_id'));
  if (id === '') throw new Error('there is no secret csi-proxmox/proxmox-csi-plugin');
  return id;
}

function regionOf(api: ObjectReader): string {
  return textOf(at(configOf(api), 'region'));
}

/** `region/zone/storage/disk`; the zone is empty for shared storages, the disk has a slash on file storages. */
function parseHandle(handle: string): { zone: string; storage: string; volid: string } {
  const [, zone = '', storage = '', ...disk] = handle.split('/');
  if (storage === '' || disk.length === 0) throw new Error(`volume handle ${handle} is not valid`);
  return { zone, storage, volid: `${storage}:${disk.join('/')}` };
}

/** By the SMBIOS uuid, as the driver does where a node has no provider id. */
function machineOf(pve: Pve, api: ObjectReader, node: string): VmRecord {
  const uuid = textOf(
    at(api.find('nodes', undefined, node), 'status', 'nodeInfo', 'systemUUID'),
  ).toLowerCase();
  const vm = [...pve.db.vms.values()].find(
    (candidate) => parsePropertyString(candidate.config.smbios1 ?? '').uuid?.toLowerCase() === uuid,
  );
  if (!vm) throw new Error(`there is no VM of node ${node}`);
  return structuredClone(vm);
}

/** By the name of the disk anywhere in a SCSI drive's line: what the driver really does, with all that follows from it. */
function slotOf(vm: VmRecord, volid: string): string | undefined {
  const disk = volid.slice(volid.indexOf(':') + 1);
  return Object.entries(vm.config).find(([key, line]) => /^scsi\d+$/.test(key) && line.includes(disk))?.[0];
}

/** The lowest free of scsi1 to scsi29. */
function freeSlot(vm: VmRecord): number {
  for (let slot = 1; slot <= LAST_SLOT; slot += 1) {
    if (vm.config[`scsi${slot}`] === undefined && vm.pending.set[`scsi${slot}`] === undefined) return slot;
  }
  throw new Error(`no free lun found on VM ${vm.vmid}`);
}

function anyHost(pve: Pve): string {
  return [...pve.db.hosts.values()][0]?.name ?? '';
}
