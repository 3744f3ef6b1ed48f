/** `POST /nodes/{node}/qemu/{vmid}/template`: the disks become base volumes that linked clones share. */
import { type Handlers, type Pve, PveError } from '../api.js';
import type { VmRecord } from '../db.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { splitVolumeId } from '../storage/volume-name.js';
import { createBase, hasFeature } from '../storage/volume-operations.js';
import { drivesOf, isCdrom, printDrive } from './disks/drives.js';
import { assertUnlocked, loadVm, saveVm } from './vms.js';

const TASK = 'qmtemplate';

interface Conversion {
  readonly host: string;
  readonly vmid: number;
  /** Only this one. */
  readonly disk?: string;
}

export const templateHandlers: Handlers = {
  'POST /nodes/{node}/qemu/{vmid}/template': (call) => {
    const disk = call.text('disk');
    const args: Conversion = { host: nodeOf(call), vmid: vmidOf(call), ...(disk ? { disk } : {}) };
    assertConvertible(call.pve, args);
    return call.pve.tasks.start(call, {
      node: args.host,
      type: TASK,
      id: String(args.vmid),
      args,
      duration: 500,
    });
  },
};

export function defineTemplateTask(pve: Pve): void {
  pve.tasks.define<Conversion>(TASK, (args) => {
    let vm = assertConvertible(pve, args);
    vm.config.template = '1';
    vm = saveVm(pve, vm);
    for (const { key, drive } of drivesOf(vm.config)) {
      if (isCdrom(drive) || (args.disk !== undefined && key !== args.disk)) continue;
      if (!splitVolumeId(drive.file) || !hasFeature(pve, 'template', drive.file)) continue;
      vm.config[key] = printDrive({ ...drive, file: createBase(pve, args.host, drive.file) });
      vm = saveVm(pve, vm);
    }
    return undefined;
  });
}

function assertConvertible(pve: Pve, { host, vmid, disk }: Conversion): VmRecord {
  const vm = loadVm(pve, host, vmid);
  assertUnlocked(vm.config);
  if (Object.keys(vm.snapshots).length > 0) {
    throw new PveError(500, 'unable to create template, because VM contains snapshots');
  }
  if (vm.template && disk === undefined) {
    throw new PveError(500, "you can't convert a template to a template");
  }
  if (vm.running) throw new PveError(500, "you can't convert a VM to template if VM is running");
  return vm;
}
