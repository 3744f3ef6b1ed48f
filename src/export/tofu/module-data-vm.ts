/** The VM of the module `talos-vm` that owns a node's data. */

import type { ModuleOptions } from './model.js';
import { ADOPTED_DISKS, DATA_VM_KEPT, OWNED_DRIVES } from './module-drives.js';

export function dataVmTf({ adopts }: ModuleOptions): string {
  return `# Owns the data and never runs: the Talos VM can be replaced.
resource "proxmox_virtual_environment_vm" "data" {
  count = var.node.layout == "data-vm" ? 1 : 0

  node_name     = var.node.proxmox_node
  vm_id         = var.node.data_vm_id
  name          = "\${var.node.name}-data"
  description   = var.node.data_description
  tags          = sort([var.cluster_tag, "k8s", "oxherd_data"])
  bios          = "seabios"
  scsi_hardware = "virtio-scsi-pci"
  started       = false
  on_boot       = false
  protection    = true

  # Proxmox would delete every volume that carries this VM's number.
  delete_unreferenced_disks_on_destroy = var.imported ? false : null

${OWNED_DRIVES}
  lifecycle {
    prevent_destroy = true
${adopts ? ADOPTED_DISKS : DATA_VM_KEPT}  }
}
`;
}
