/** What writing an option of a VM does to a running guest. See README.md in this folder. */
import { parseNet } from '../../formats/proxmox/property-string.js';
import type { ValueChange } from '../steps.js';

/** Keys that are ours also when the design does not name them: what is no longer wanted goes. */
const OURS = /^(net\d+|hostpci\d+|ipconfig\d+|startup|nameserver|searchdomain|agent|numa|onboot|protection)$/;

export function isOurOption(key: string): boolean {
  return OURS.test(key);
}

/** Written at once, whatever the guest does (qemu-server's fast-plug options and the cloud-init keys). */
const IMMEDIATE =
  /^(name|description|tags|onboot|protection|startup|shares|hookscript|ipconfig\d+|nameserver|searchdomain|ciuser|sshkeys)$/;
const HOT_PLUGGED = /^net\d+$/;

export function isWrittenAtOnce(key: string): boolean {
  return IMMEDIATE.test(key);
}

export function isHotPlugged(key: string): boolean {
  return HOT_PLUGGED.test(key);
}

/** What a change of a network device may leave as it is without anybody noticing. */
const QUIET_NET_OPTIONS = new Set(['firewall', 'rate']);

/**
 * Another bridge or VLAN is another network; a new MAC, MTU or number of queues means that Proxmox unplugs the device
 * and plugs a new one in. A device besides the first one that comes or goes interrupts nothing.
 */
export function interruptsNetwork(key: string, { from, to }: ValueChange): boolean {
  if (!HOT_PLUGGED.test(key)) return false;
  if (from === undefined || to === undefined) return key === 'net0';
  const [before, after] = [parseNet(from), parseNet(to)];
  if (before.model !== after.model || before.mac !== after.mac) return true;
  const options = new Set([...Object.keys(before.options), ...Object.keys(after.options)]);
  return [...options].some(
    (option) => !QUIET_NET_OPTIONS.has(option) && before.options[option] !== after.options[option],
  );
}
