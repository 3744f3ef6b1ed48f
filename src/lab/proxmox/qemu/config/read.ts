/** Reading a VM's config: with its pending changes, without them, side by side, and that of a snapshot. */
import { type Call, type Handlers, PveError } from '../../api.js';
import type { SnapshotRecord } from '../../db.js';
import { nodeOf, vmidOf } from '../../http/request.js';
import { loadVm, snapshotOf } from '../vms.js';
import { digestOf, pendingDeletion, shown, snapshotOptions, withPending } from './vm-config.js';

export const readHandlers: Handlers = {
  'GET /nodes/{node}/qemu/{vmid}': () => SUBDIRS.map((subdir) => ({ subdir })),
  'GET /nodes/{node}/qemu/{vmid}/config': readConfig,
  'GET /nodes/{node}/qemu/{vmid}/pending': readPending,
};

const SUBDIRS = [
  'config',
  'cloudinit',
  'pending',
  'status',
  'unlink',
  'vncproxy',
  'termproxy',
  'migrate',
  'resize',
  'move',
  'rrd',
  'rrddata',
  'monitor',
  'agent',
  'snapshot',
  'spiceproxy',
  'sendkey',
  'firewall',
  'mtunnel',
  'remote_migrate',
];

function readConfig(call: Call): unknown {
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  const name = call.text('snapshot');
  if (name !== undefined && name !== '') {
    if (call.flag('current')) {
      const message = "cannot use 'snapshot' parameter with 'current'";
      throw PveError.parameter({ snapshot: message, current: message });
    }
    const snapshot = snapshotOf(vm, name);
    if (!snapshot) throw new PveError(500, `snapshot '${name}' does not exist`);
    return { ...shownSnapshot(snapshot), digest: digestOf(vm) };
  }
  const config = call.flag('current') ? vm.config : withPending(vm);
  return { ...shown(config), digest: digestOf(vm) };
}

export function shownSnapshot(snapshot: SnapshotRecord): Record<string, string | number> {
  return shown(snapshotOptions(snapshot));
}

function readPending(call: Call): unknown {
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  const current = shown(vm.config);
  const coming = shown(vm.pending.set);
  // As Proxmox has it, with a blank that tells the pending password from the current one.
  if (coming.cipassword !== undefined) coming.cipassword = '********** ';
  const going = new Map(vm.pending.delete.map(pendingDeletion).map(({ key, force }) => [key, force ? 2 : 1]));
  const keys = new Set([...Object.keys(current), ...Object.keys(coming), ...going.keys()]);
  const items = [...keys].sort().map((key) => ({
    key,
    ...(current[key] === undefined ? {} : { value: current[key] }),
    ...(coming[key] === undefined ? {} : { pending: coming[key] }),
    ...(going.has(key) ? { delete: going.get(key) } : {}),
  }));
  return [...items, { key: 'digest', value: digestOf(vm) }];
}
