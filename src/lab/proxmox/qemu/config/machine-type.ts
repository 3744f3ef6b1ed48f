/** The `machine` option: what may be said together, and the version that Windows guests are pinned to. */
import { parsePropertyString, printPropertyString } from '../../../../formats/proxmox/property-string.js';
import { PveError } from '../../api.js';
import { QEMU_VERSION } from '../../version.js';

/** Proxmox's own revisions of QEMU's machine versions. */
const REVISIONS: Readonly<Record<string, number>> = { '4.1': 2, '9.2': 1, '10.0': 1, '11.0': 2 };

/** Guests that are Windows, by `ostype`. */
export function isWindows(ostype: string | undefined): boolean {
  return /^(wxp|w2k|w2k3|w2k8|wvista|win7|win8|win10|win11)$/.test(ostype ?? '');
}

function latestVersion(qemu = QEMU_VERSION): string {
  const version = qemu.split('.').slice(0, 2).join('.');
  const revision = REVISIONS[version];
  return revision === undefined ? version : `${version}+pve${revision}`;
}

/** qemu-server `assert_valid_machine_property`. */
export function assertMachine(machine: string | undefined): void {
  const { type, viommu, 'aw-bits': bits } = parsePropertyString((machine ?? '').trim(), 'type');
  if (viommu === 'intel') {
    if (!type?.includes('q35')) {
      throw new PveError(500, 'to use Intel vIOMMU please set the machine type to q35');
    }
    if (bits !== undefined && Number(bits) !== 39 && Number(bits) !== 48) {
      throw new PveError(500, 'Intel vIOMMU supports only 39 or 48 bits as address width');
    }
  }
  if (bits !== undefined && viommu === undefined) {
    throw new PveError(500, 'cannot set aw-bits if no vIOMMU is configured');
  }
}

const FAMILIES: Readonly<Record<string, string>> = { pc: 'pc-i440fx', q35: 'pc-q35', virt: 'virt' };

/** The machine in Proxmox's own form; Windows takes a change of it for another computer, so it gets a version of its own. */
export function pinnedMachine(
  machine: string | undefined,
  { ostype, arch }: { ostype?: string | undefined; arch?: string | undefined },
  log: (line: string) => void,
): string {
  const parsed = { ...parsePropertyString((machine ?? '').trim(), 'type') };
  const family = FAMILIES[parsed.type ?? (arch === 'aarch64' ? 'virt' : 'pc')];
  if (family !== undefined && isWindows(ostype)) {
    parsed.type = `${family}-${latestVersion()}`;
    log(`pinning machine type to '${parsed.type}' for Windows guest OS`);
  }
  const printed = printPropertyString(parsed, 'type');
  assertMachine(printed);
  return printed;
}
