/** What people read on a VM's notes page in Proxmox. Nothing secret: whoever may see the VM sees it. */
import type { NodeConfig } from '../config/config.js';

const ROLE_TITLES = { controlplane: 'Talos Control Plane', worker: 'Talos Worker' } as const;

/** The user's own text, or the role; a template's VM (`single`) has none unless told. */
export function talosVmDescription(node: NodeConfig): string | undefined {
  return node.vm.description ?? (node.layout === 'data-vm' ? ROLE_TITLES[node.role] : undefined);
}

/** `notes` are further lines, such as a fingerprint by which the data finds its cluster again. */
export function dataVmDescription(node: NodeConfig, notes: readonly string[]): string {
  return [`Data VM for ${node.vmid} ${node.name} to attach additional disks`, ...notes].join('\n');
}
