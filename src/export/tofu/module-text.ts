/** The module `talos-vm`: a Talos VM and, in the layout `data-vm`, the VM that owns its data. */

import type { ModuleOptions } from './model.js';
import { dataVmTf } from './module-data-vm.js';
import { talosVmTf } from './module-talos-vm.js';

export function moduleMainTf(options: ModuleOptions): string {
  return `${LOCALS}${dataVmTf(options)}
${talosVmTf(options)}`;
}

const LOCALS = `locals {
  role   = var.node.controller ? "control-plane" : "worker"
  labels = var.node.layout == "data-vm" ? ["k8s", local.role] : []
  prefix = split("/", var.network.cidr)[1]
  dns    = var.node.dns_servers != null ? var.node.dns_servers : var.network.dns_servers

  # A disk is known by its name, and its interface is written beside it. The provider compares blocks by their place in
  # the list, so they are listed in the order in which slots are given out: from scsi0 up, later ones from scsi30 down.
  place       = { for i in range(31) : "scsi\${i}" => format("%02d", i < 16 ? i : 46 - i) }
  own_disks   = { for name, disk in var.node.disks : local.place[disk.interface] => disk if disk.data_interface == null }
  data_disks  = { for name, disk in var.node.disks : local.place[disk.interface] => disk if disk.data_interface != null }
  owned_disks = { for name, disk in var.node.disks : local.place[disk.data_interface] => disk if disk.data_interface != null }
}

`;

export const MODULE_VERSIONS_TF = `terraform {
  required_providers {
    proxmox = {
      source = "bpg/proxmox"
    }
  }
}
`;

export const MODULE_VARIABLES_TF = `variable "node" {
  description = "The machine, as in the root module's nodes."
  type        = any
}

variable "advanced" {
  description = "Hardware, as in the root module's vm_advanced, with the node's own values over it."
  type        = any
}

variable "cluster_tag" {
  description = "Tag by which oxherd knows the VMs of the cluster."
  type        = string
}

variable "imported" {
  description = "False until the VMs that were there are imported: what only the provider knows is left at its defaults."
  type        = bool
}

variable "network" {
  description = "Network of the nodes."
  type        = any
}

variable "pool" {
  description = "Resource pool of the Talos VM."
  type        = string
  default     = null
}

variable "image_id" {
  description = "Image or ISO, as storage:content/file."
  type        = string
}
`;

export const MODULE_OUTPUTS_TF = `output "summary" {
  description = "What the root module tells about the node."
  value = {
    vm_id      = proxmox_virtual_environment_vm.talos.vm_id
    data_vm_id = one(proxmox_virtual_environment_vm.data[*].vm_id)
    host       = proxmox_virtual_environment_vm.talos.node_name
    address    = var.node.address
  }
}
`;
