/** `PUT /nodes/{node}/qemu/{vmid}/resize`: everything that can be wrong is wrong in the task (recording resize). */

import { type Handlers, type Pve, PveError } from '../../api.js';
import { callerWithId, nodeOf, rootOnly, vmidOf } from '../../http/request.js';
import { resizeContainer } from '../../lxc/resize.js';
import { locate } from '../../storage/storages.js';
import { targetSize } from '../../storage/target-size.js';
import { requireVolumeId } from '../../storage/volume-name.js';
import { requireVolume, resizeVolume } from '../../storage/volume-operations.js';
import { digestOf } from '../config/vm-config.js';
import { assertUnlocked, loadVm, saveRunState, saveVm } from '../vms.js';
import { isCdrom, parseDrive, printDrive, withSize } from './drives.js';

const TASK = 'resize';

interface Resize {
  readonly host: string;
  readonly vmid: number;
  readonly disk: string;
  readonly size: string;
  readonly digest?: string;
  readonly skipLock?: boolean;
  readonly user: string;
}

export const resizeHandlers: Handlers = {
  'PUT /nodes/{node}/qemu/{vmid}/resize': (call) => {
    rootOnly(call, 'skiplock');
    const digest = call.text('digest');
    const args: Resize = {
      host: nodeOf(call),
      vmid: vmidOf(call),
      disk: call.text('disk') ?? '',
      size: call.text('size') ?? '',
      ...(digest ? { digest } : {}),
      skipLock: call.flag('skiplock'),
      user: call.who.id,
    };
    return call.pve.tasks.start(call, {
      node: args.host,
      type: TASK,
      id: String(args.vmid),
      args,
      duration: 300,
    });
  },
};

export function defineResizeTask(pve: Pve): void {
  pve.tasks.define<Resize>(TASK, (args, task) => {
    const resize = pve.db.containers.has(String(args.vmid)) ? resizeContainer : resizeDrive;
    return resize(pve, args, (text) => task.log(text));
  });
}

export function resizeDrive(pve: Pve, args: Resize, log: (text: string) => void = () => {}): undefined {
  const { host, vmid, disk } = args;
  const vm = loadVm(pve, host, vmid);
  if (args.digest && args.digest !== digestOf(vm)) {
    throw new PveError(500, 'checksum mismatch (file change by other user?)');
  }
  if (!args.skipLock) assertUnlocked(vm.config);
  const line = vm.config[disk];
  if (line === undefined) throw new PveError(500, `disk '${disk}' does not exist`);
  const drive = parseDrive(line);
  // Parsed before it is known to be a disk: an empty tray has no volume to parse.
  locate(pve, drive.file);
  if (isCdrom(drive)) throw new PveError(500, "you can't resize a cdrom");
  const { storage } = requireVolumeId(drive.file);
  callerWithId(pve, args.user).require(`/storage/${storage}`, ['Datastore.AllocateSpace']);
  const { size } = requireVolume(pve, host, drive.file);
  const wanted = targetSize(args.size, size);
  if (wanted < size) throw new PveError(500, 'shrinking disks is not supported');
  if (wanted === size) return;
  resizeVolume(pve, host, drive.file, wanted, vm.running !== undefined, log);
  const seen = vm.running?.config[disk];
  if (vm.running && seen !== undefined) {
    // QEMU is told before the config is written: a guest knows of it also where the cluster has lost its quorum.
    vm.running.config[disk] = printDrive(withSize(parseDrive(seen), wanted));
    saveRunState(pve, vmid, { running: vm.running });
    pve.machines?.hardwareChanged(vmid);
  }
  vm.config[disk] = printDrive(withSize(drive, wanted));
  saveVm(pve, vm);
}
