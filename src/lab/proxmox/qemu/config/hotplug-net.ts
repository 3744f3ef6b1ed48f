/** Network devices of a running VM (qemu-server `vmconfig_update_net`). */
import { parseNet } from '../../../../formats/proxmox/property-string.js';
import type { Pve } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { HotplugError, NOT_NOW } from './hotplug-outcome.js';

export function hasBridge(pve: Pick<Pve, 'db'>, host: string, bridge: string): boolean {
  return pve.db.hosts.get(host)?.bridges.some((known) => known.iface === bridge) ?? false;
}

/**
 * qemu-server `print_netdevice_full`: a paravirtual NIC takes at most the MTU of its bridge; 1 is the bridge's own. Seen
 * on a real host: plugging such a NIC fails, and so does the start.
 */
export function netProblem(
  pve: Pick<Pve, 'db'>,
  host: string,
  { model, options: { bridge, mtu } }: ReturnType<typeof parseNet>,
): string | undefined {
  const has = pve.db.hosts.get(host)?.bridges.find(({ iface }) => iface === bridge)?.mtu ?? DEFAULT_MTU;
  if (model !== 'virtio' || bridge === undefined || Number(mtu ?? 1) <= has) return undefined;
  return `MTU '${mtu}' is bigger than the bridge MTU '${has}'`;
}

const DEFAULT_MTU = 1_500;

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
  // Not in place: the old one has been unplugged by now.
  const problem = inPlace ? undefined : netProblem(pve, vm.host, after);
  if (problem !== undefined) throw new HotplugError(problem);
  if (vm.running) vm.running.config[key] = value;
}
