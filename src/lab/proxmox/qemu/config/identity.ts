/** What Proxmox makes up for a VM: MAC addresses, uuids, the note of its birth. */
import {
  parseNet,
  parsePropertyString,
  printNet,
  printPropertyString,
} from '../../../../formats/proxmox/property-string.js';
import type { Pve } from '../../api.js';
import { QEMU_VERSION } from '../../version.js';
import { isNetKey } from './config-keys.js';
import type { Config } from './vm-config.js';

type World = Pick<Pve, 'core'>;

export function newMac({ core }: World): string {
  const hex = core.random.hex(6).toUpperCase();
  return `BC:24:11:${hex.slice(0, 2)}:${hex.slice(2, 4)}:${hex.slice(4, 6)}`;
}

/** Network devices in Proxmox's own form, each with a MAC. */
export function normaliseNets(pve: World, params: Config): Config {
  const result = { ...params };
  for (const key of Object.keys(params).filter(isNetKey)) {
    // Empty values pass the request's checks; only writing the config refuses them (assertWritable).
    if (!params[key]) continue;
    const net = parseNet(params[key]);
    result[key] = printNet({ ...net, mac: net.mac ?? newMac(pve) });
  }
  return result;
}

export function withNewMac(pve: World, line: string): string {
  return printNet({ ...parseNet(line), mac: newMac(pve) });
}

export function newMeta({ core }: World): string {
  return `creation-qemu=${QEMU_VERSION},ctime=${Math.floor(core.clock.now() / 1000)}`;
}

/** The same settings with another uuid. */
export function withNewUuid(pve: World, smbios1: string | undefined): string {
  return printPropertyString({ ...parsePropertyString(smbios1 ?? ''), uuid: pve.core.random.uuid() });
}
