import { parsePropertyString } from './property-string.js';
import type { VmState } from './vm-config.js';

/** The SMBIOS uuid of a VM, in lower case: its machine reports the same. `undefined`: it has none, or was not read. */
export function uuidOfVm({
  config,
}: {
  readonly config: { readonly known: true; readonly value: VmState } | { readonly known: false };
}): string | undefined {
  if (!config.known) return undefined;
  return parsePropertyString(config.value.values.smbios1 ?? '').uuid?.toLowerCase();
}
