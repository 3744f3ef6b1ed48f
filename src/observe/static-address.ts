import { parsePropertyString } from '../formats/property-string.js';
import { vmConfigOf } from '../formats/vm-config.js';
import type { ObservedVm } from './observed.js';

/** The address that a VM's cloud-init drive gives its machine; `undefined`: none, or one by DHCP. */
export function staticAddressOf({ config }: Pick<ObservedVm, 'config'>): string | undefined {
  if (!config.known) return undefined;
  const { ip } = parsePropertyString(vmConfigOf(config.value).effective.ipconfig0 ?? '');
  return ip === undefined || ip === 'dhcp' ? undefined : ip.split('/')[0];
}
