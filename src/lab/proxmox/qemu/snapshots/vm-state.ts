/** Saved memory of VMs: of a snapshot, or of a VM that is suspended to disk. */
import { type Pve, PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { allocate, free, type Log } from '../../storage/allocate.js';
import { requireStorage } from '../../storage/storages.js';
import { isFileStorage, splitVolumeId } from '../../storage/volume-name.js';
import { QEMU_VERSION } from '../../version.js';
import { volumeId } from '../../volumes.js';
import { type Config, memoryOf } from '../config/vm-config.js';
import { drivesOf } from '../disks/drives.js';
import { powerOff } from '../power/machine.js';
import { assertUnlocked, loadVm, saveVm } from '../vms.js';

const MEBIBYTE = 1024 ** 2;

/** The one the config names; else one that the VM has a disk on, shared and file based ones first. */
export function stateStorage(pve: Pick<Pve, 'db'>, config: Config): string {
  if (config.vmstatestorage !== undefined) return config.vmstatestorage;
  const found: { shared?: string; local?: string } = {};
  for (const { drive } of drivesOf(config)) {
    const storage = pve.db.storages.get(splitVolumeId(drive.file)?.storage ?? '');
    const kind = storage?.shared ? 'shared' : 'local';
    if (storage && (found[kind] === undefined || isFileStorage(storage))) found[kind] = storage.id;
  }
  return found.shared ?? found.local ?? 'local';
}

/** Options that a config with a saved state has beside its own. */
export function saveState(pve: Pve, vm: VmRecord, name: string, storageId: string, log: Log): Config {
  const storage = requireStorage(pve, storageId);
  const memory = memoryOf(vm.running?.config.memory ?? vm.config.memory);
  const volume = allocate(
    pve,
    {
      host: vm.host,
      storage: storageId,
      vmid: vm.vmid,
      format: 'raw',
      name: `vm-${vm.vmid}-state-${name}${isFileStorage(storage) ? '.raw' : ''}`,
      // Twice the memory and the devices' state, so that the guest stands still but shortly.
      size: (memory * 2 + 500) * MEBIBYTE,
      used: memory * MEBIBYTE,
    },
    log,
  );
  log(`saving VM state and RAM using storage '${storageId}'`);
  log(`completed saving the VM state in 1s, saved ${memory}.00 MiB`);
  const family = (vm.config.machine ?? '').includes('q35') ? 'pc-q35' : 'pc-i440fx';
  return {
    vmstate: volumeId(volume),
    runningmachine: `${family}-${QEMU_VERSION.replace(/\.\d+$/, '')}+pve0`,
    runningcpu: 'kvm64,enforce,+kvm_pv_eoi,+kvm_pv_unhalt,+lahf_lm,+sep',
  };
}

export const STATE_KEYS = ['vmstate', 'runningmachine', 'runningcpu', 'running-nets-host-mtu'] as const;

export interface Suspension {
  readonly host: string;
  readonly vmid: number;
  readonly skipLock?: boolean;
  readonly storage: string;
}

/** The VM stops and is locked until it is resumed or its state thrown away. */
export function suspendToDisk(pve: Pve, suspension: Suspension, log: Log): undefined {
  const { host, vmid, storage } = suspension;
  const vm = loadVm(pve, host, vmid);
  if (!suspension.skipLock) assertUnlocked(vm.config);
  if (!vm.running) throw new PveError(500, `VM ${vmid} not running`);
  const day = new Date(pve.core.clock.now()).toISOString().slice(0, 10);
  const state = saveState(pve, vm, `suspend-${day}`, storage, log);
  Object.assign(vm.config, state, { lock: 'suspended' });
  saveVm(pve, vm);
  powerOff(pve, vmid);
}

/** After the VM runs again: the state has served. */
export function dropState(pve: Pve, host: string, vmid: number): void {
  const vm = loadVm(pve, host, vmid);
  const { vmstate } = vm.config;
  if (vmstate !== undefined) free(pve, host, vmstate);
  for (const key of STATE_KEYS) delete vm.config[key];
  if (vm.config.lock === 'suspended') delete vm.config.lock;
  saveVm(pve, vm);
}
