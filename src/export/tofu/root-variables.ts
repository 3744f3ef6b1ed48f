/** The variables of the exported root module. */
import { printAssignments } from './hcl-print.js';

const SIZES = `    cores     = number
    sockets   = number
    memory    = number
    disk_size = number
`;

const HARDWARE: Readonly<Record<string, string>> = {
  bios: 'string',
  machine: 'string',
  cpu_type: 'string',
  scsi_hw: 'string',
  balloon: 'number',
  numa: 'bool',
  qemu_agent: 'bool',
  net_queues: 'optional(number)',
  disk_discard: 'bool',
  disk_ssd: 'bool',
  tags: 'list(string)',
  network_bridge: 'string',
  ostype: 'string',
  disk_backup: 'optional(bool)',
  disk_replicate: 'bool',
  disk_cache: 'optional(string)',
  disk_aio: 'optional(string)',
  disk_iothread: 'bool',
  net_firewall: 'bool',
  on_boot: 'bool',
};

/** A node names what it has of its own. */
const optional = (type: string): string => (type.startsWith('optional(') ? type : `optional(${type})`);

function hardware(depth: number, typed: (type: string) => string = (type) => type): string {
  const types = Object.entries(HARDWARE).map(([name, type]) => ({ name, value: typed(type) }));
  return printAssignments(types, depth);
}

export const VARIABLES_TF = `variable "proxmox_api_url" {
  description = "Address of the Proxmox API."
  type        = string
}

variable "proxmox_insecure" {
  description = "Do not check the certificate of the API."
  type        = bool
  default     = false
}

variable "proxmox_cluster" {
  description = "Name of the Proxmox cluster. Read back by oxherd; no resource uses it."
  type        = string
}

variable "proxmox_node" {
  description = "Host of the first node. Every node names its own."
  type        = string
  default     = null
}

variable "proxmox_pool" {
  description = "Resource pool of the Talos VMs."
  type        = string
  default     = null
}

variable "image_datastore" {
  description = "Storage that Talos images are downloaded to."
  type        = string
  default     = "local"
}

variable "node_vlan_tag" {
  description = "VLAN tag of the first node. Every node names its own."
  type        = number
  default     = null
}

variable "cluster" {
  description = "Name, versions and addresses. Of these the VMs have the tag; oxherd reads back the rest."
  type = object({
    name                             = string
    env                              = string
    tag                              = string
    vip                              = optional(string)
    endpoint                         = optional(string)
    kubernetes_version               = string
    allow_scheduling_on_controlplane = bool
    talos_version                    = string
    factory_url                      = string
    platform                         = string
    arch                             = string
  })
}

variable "network" {
  description = "Network of the nodes."
  type = object({
    cidr           = string
    gateway        = string
    dns_servers    = list(string)
    search_domains = list(string)
    ntp_servers    = list(string)
    first_boot     = string
  })

  validation {
    condition     = contains(["static", "dhcp"], var.network.first_boot)
    error_message = "first_boot is static or dhcp."
  }
}

variable "schematics" {
  description = "Image Factory schematics by id, as YAML. Read back by oxherd; the images carry the ids."
  type        = map(string)
  default     = {}
}

variable "imported" {
  description = "Whether VMs that were there have been imported. Set it to true after the first apply: from then on the provider reboots no VM by itself, and deletes no disk that it does not know."
  type        = bool
  default     = true
}

variable "present_images" {
  description = "Keys of images that are on their storages already."
  type        = list(string)
  default     = []
}

variable "registered_schematics" {
  description = "Those that the factory has already."
  type        = list(string)
  default     = []
}

variable "images" {
  description = "Images by host and file name."
  type = map(object({
    proxmox_node = string
    content      = string
    file_name    = string
    url          = string
  }))
}

variable "vm_defaults" {
  description = "Sizes of a VM. Every node names its own."
  type = object({
${SIZES}  })
}

variable "vm_controller_defaults" {
  description = "Sizes of a control plane's VM. Every node names its own."
  type = object({
${SIZES}  })
}

variable "vm_worker_defaults" {
  description = "Sizes of a worker's VM. Every node names its own."
  type = object({
${SIZES}  })
}

variable "vm_advanced" {
  description = "Hardware of every VM, where its node says nothing else."
  type = object({
${hardware(2)}  })
}

variable "nodes" {
  description = "Machines of the cluster. Keyed by name: the order means nothing."
  type = list(object({
    name              = string
    address           = string
    mac_addr          = string
    controller        = bool
    layout            = string
    boot              = string
    proxmox_node      = string
    vm_id             = number
    data_vm_id        = optional(number)
    vm_cores          = number
    vm_sockets        = number
    vm_memory         = number
    vm_disk_size      = number
    vm_os_disk_size   = number
    vm_startup_order  = optional(number)
    vm_startup_delay  = optional(number)
    vm_shutdown_delay = optional(number)
    mtu               = optional(number)
    vlan_tag          = optional(number)
    datastore         = string
    dns_servers       = optional(list(string))
    description       = optional(string)
    data_description  = optional(string)
    smbios_uuid       = string
    tpm               = optional(bool, false)
    talos_version     = string
    schematic_id      = string
    image             = string
    advanced = optional(object({
${hardware(3, optional)}    }), {})
    nics = optional(list(object({
      bridge   = string
      mac_addr = string
      vlan_tag = optional(number)
      mtu      = optional(number)
      queues   = optional(number)
      firewall = optional(bool, false)
      address  = optional(string)
    })), [])
    pci = optional(list(object({
      mapping = string
      pcie    = bool
      rombar  = bool
      xvga    = bool
    })), [])
    disks = map(object({
      interface      = string
      data_interface = optional(string)
      size           = number
      datastore      = string
      backup         = bool
    }))
  }))

  validation {
    condition     = alltrue([for node in var.nodes : contains(["data-vm", "single"], node.layout)])
    error_message = "layout is data-vm or single."
  }

  validation {
    condition     = alltrue([for node in var.nodes : contains(["image", "iso"], node.boot)])
    error_message = "boot is image or iso."
  }
}

variable "volumes" {
  description = "Volumes by name. Read back by oxherd; their disks are in nodes."
  type        = any
  default     = {}
}

variable "settings" {
  description = "Machine configs and what runs in Kubernetes, as YAML. Read back by oxherd; no resource uses it."
  type        = string
  default     = ""
}

variable "csi" {
  description = "Access of the Proxmox CSI driver. Read back by oxherd; no resource uses it."
  type        = any
  default     = null
}
`;
