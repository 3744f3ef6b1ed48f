/** What people read on a VM's notes page in Proxmox. Nothing secret: whoever may see the VM sees it. */
import type { NodeConfig } from '../config/config.js';
import { secretsNote } from '../formats/marks/secrets-note.js';

const ROLE_TITLES = { controlplane: 'Talos Control Plane', worker: 'Talos Worker' } as const;

/** The user's own text, or the role; a template's VM (`single`) has none unless told. */
export function talosVmDescription(node: NodeConfig, secrets: string | undefined): string | undefined {
  const title = node.vm.description ?? (node.layout === 'data-vm' ? ROLE_TITLES[node.role] : undefined);
  const lines = [...(title ? [title] : []), ...noteOf(secrets)];
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** With the fingerprint by which the data finds its cluster again. */
export function dataVmDescription(node: NodeConfig, secrets: string | undefined): string {
  const title = `Data VM for ${node.vmid} ${node.name} to attach additional disks`;
  return [title, ...noteOf(secrets)].join('\n');
}

function noteOf(secrets: string | undefined): string[] {
  return secrets === undefined ? [] : [secretsNote(secrets)];
}
