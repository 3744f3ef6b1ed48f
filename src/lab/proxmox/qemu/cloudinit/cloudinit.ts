/** `/nodes/{node}/qemu/{vmid}/cloudinit…`: what the drive was made with, and what it would say (recording cloud-init). */
import type { Call, Handlers } from '../../api.js';
import { nodeOf, vmidOf } from '../../http/request.js';
import { resolverOf } from '../../nodes/node-settings.js';
import { CLOUD_INIT_KEYS } from '../config/config-keys.js';
import { shown } from '../config/vm-config.js';
import { assertUnlocked, loadVm, saveVm } from '../vms.js';
import { cloudInitData } from './cloudinit-data.js';

const BASE = '/nodes/{node}/qemu/{vmid}/cloudinit';

export const cloudInitHandlers: Handlers = {
  [`GET ${BASE}`]: listOptions,
  [`PUT ${BASE}`]: (call) => {
    const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
    assertUnlocked(vm.config);
    delete vm.cloudinit;
    saveVm(call.pve, vm);
    return null;
  },
  [`GET ${BASE}/dump`]: dump,
};

/** With the value the drive has, where the config has moved on since. */
function listOptions(call: Call): unknown {
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  const config = shown(vm.config);
  const { added: addedList, ...recorded } = vm.cloudinit ?? {};
  const before = shown(recorded);
  const added = (addedList ?? '').split(',').filter((key) => key !== '');
  const result: unknown[] = added.map((key) => ({ key, pending: config[key] }));
  for (const key of CLOUD_INIT_KEYS) {
    const value = config[key];
    if (!value || added.includes(key)) continue;
    result.push(before[key] === undefined ? { key, value } : { key, value: before[key], pending: value });
  }
  for (const key of Object.keys(before)) if (!config[key]) result.push({ key, delete: 1 });
  return result;
}

function dump(call: Call): string {
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  const mayRead = call.allows(`/vms/${vm.vmid}`, ['VM.Config.Cloudinit']);
  const data = cloudInitData(vm, resolverOf(call.pve, vm.host));
  const type = call.text('type');
  if (type === 'user') return mayRead ? data.user : data.maskedUser;
  return type === 'network' ? data.network : data.meta;
}
