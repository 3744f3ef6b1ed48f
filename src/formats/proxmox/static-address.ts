import { parsePropertyString } from './property-string.js';
import { type VmState, vmConfigOf } from './vm-config.js';

/** A VM whose config could be read, or not. */
interface ReadVm {
  readonly config: { readonly known: true; readonly value: VmState } | { readonly known: false };
}

/** The address that a VM's cloud-init drive gives its machine; `undefined`: none, or one by DHCP. */
export function staticAddressOf({ config }: ReadVm): string | undefined {
  if (!config.known) return undefined;
  const { ip } = parsePropertyString(vmConfigOf(config.value).effective.ipconfig0 ?? '');
  return ip === undefined || ip === 'dhcp' ? undefined : ip.split('/')[0];
}
