/** Network devices of a running VM (qemu-server `vmconfig_update_net`). */
import { parseNet } from '../../../../formats/proxmox/property-string.js';
import type { Pve } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { HotplugError, NOT_NOW } from './hotplug-outcome.js';

export function hasBridge(pve: Pick<Pve, 'db'>, host: string, bridge: string): boolean {
  return pve.db.hosts.get(host)?.bridges.some((known) => known.iface === bridge) ?? false;
}

export function changeNet(
  pve: Pick<Pve, 'db'>,
  vm: VmRecord,
  key: string,
  value: string,
  hotplug: boolean,
): void {
  const after = parseNet(value);
  const line = vm.config[key];
  const before = line === undefined ? undefined : parseNet(line);
  const inPlace =
    before !== undefined &&
    before.model === after.model &&
    before.mac === after.mac &&
    Number(before.options.queues ?? 0) === Number(after.options.queues ?? 0) &&
    Number(before.options.mtu ?? 0) === Number(after.options.mtu ?? 0) &&
    before.options.bridge !== undefined &&
    after.options.bridge !== undefined;
  if (!inPlace && !hotplug) throw NOT_NOW;
  if (!inPlace && before && vm.running) delete vm.running.config[key];
  const { bridge } = after.options;
  if (bridge !== undefined && !hasBridge(pve, vm.host, bridge)) {
    throw new HotplugError(`bridge '${bridge}' does not exist`);
  }
  if (vm.running) vm.running.config[key] = value;
}
