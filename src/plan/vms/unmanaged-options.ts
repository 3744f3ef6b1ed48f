/** Options of a VM that oxherd.yaml says nothing of: someone set them, and they stay. */
import type { NodeDesign } from '../../design/design.js';
import type { OptionValue } from '../../formats/proxmox/vm-option.js';
import { isOurOption } from '../effects/vm-options.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { Note } from '../plan.js';

/** What Proxmox writes itself, and disks: those are looked at one by one. */
const NOT_OPTIONS =
  /^(meta|vmgenid|digest|lock|parent|snaptime|vmstate|running\w+|template|(scsi|sata|ide|virtio|unused|efidisk|tpmstate)\d+)$/;

export function unmanagedOptions(
  node: NodeDesign,
  { vm, effective }: VmView,
  wanted: Readonly<Record<string, OptionValue>>,
): Note[] {
  const kept = Object.keys(effective)
    .filter((key) => !(key in wanted) && !(key in node.talosVm.auxiliary))
    .filter((key) => !NOT_OPTIONS.test(key) && !isOurOption(key))
    .sort();
  if (kept.length === 0) return [];
  return [
    {
      code: 'drift',
      node: node.name,
      message: `VM ${vm.vmid} (${vm.name}) has ${kept.map((key) => `${key} ${shown(key, effective[key])}`).join(', ')} set outside oxherd (unmanaged ${kept.length === 1 ? 'option' : 'options'}); left unchanged`,
    },
  ];
}

/** Logins of cloud-init are no one's business. */
function shown(key: string, value = ''): string {
  return /^(cipassword|sshkeys)$/.test(key) ? '(not shown)' : value;
}
