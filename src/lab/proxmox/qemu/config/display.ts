/** The `vga` option. */
import { parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { PveError } from '../../api.js';

function parseVga(vga: string | undefined): Readonly<Record<string, string>> {
  return parsePropertyString((vga ?? '').trim(), 'type');
}

/** qemu-server `assert_clipboard_config`: serial displays and none have no clipboard. */
export function assertClipboard(vga: string | undefined): void {
  const { type, clipboard } = parseVga(vga);
  if (clipboard === 'vnc' && type !== undefined && !/^(std|cirrus|vmware|virtio|qxl)/.test(type)) {
    throw new PveError(500, `vga type ${type} is not compatible with VNC clipboard`);
  }
}

/** What a VM's status says of its display; nothing where the config says nothing. */
export function displayStatus(vga: string | undefined): Record<string, unknown> {
  if (vga === undefined) return {};
  const { type, clipboard } = parseVga(vga);
  const spice = /^(virtio|qxl[234]?$)/.test(type ?? '');
  return { ...(spice ? { spice: 1 } : {}), clipboard: clipboard ?? null };
}
