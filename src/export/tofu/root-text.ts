/** Files of the exported root module that are the same for every cluster. */

export const MAIN_TF = `terraform {
  required_version = ">= 1.7.0"

  required_providers {
    proxmox = {
      source  = "bpg/proxmox"
      version = ">= 0.111.0, < 1.0.0"
    }
  }
}

# The API token comes from the environment variable PROXMOX_VE_API_TOKEN, never from a file.
provider "proxmox" {
  endpoint = var.proxmox_api_url
  insecure = var.proxmox_insecure
}

# One file per host. The name holds schematic and version: a new version is a new file.
resource "proxmox_download_file" "image" {
  for_each = var.images

  node_name    = each.value.proxmox_node
  datastore_id = var.image_datastore
  content_type = each.value.content
  file_name    = each.value.file_name
  url          = each.value.url
  overwrite    = false

  # On a shared storage another host may have brought it already.
  overwrite_unmanaged = true
}

resource "proxmox_virtual_environment_pool" "talos" {
  count = var.proxmox_pool != null ? 1 : 0

  pool_id = var.proxmox_pool
  comment = "Talos VMs of \${var.cluster.name}"
}

module "talos_vm" {
  source   = "./modules/talos-vm"
  for_each = { for node in var.nodes : node.name => node }

  node        = each.value
  advanced    = merge(var.vm_advanced, { for key, value in each.value.advanced : key => value if value != null })
  cluster_tag = var.cluster.tag
  network     = var.network
  pool        = one(proxmox_virtual_environment_pool.talos[*].pool_id)
  image_id    = proxmox_download_file.image["\${each.value.proxmox_node}/\${each.value.image}"].id
}
`;

export const OUTPUTS_TF = `output "nodes" {
  description = "VM ids and addresses by node."
  value       = { for name, vm in module.talos_vm : name => vm.summary }
}
`;

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
    cores     = number
    sockets   = number
    memory    = number
    disk_size = number
  })
}

variable "vm_controller_defaults" {
  description = "Sizes of a control plane's VM. Every node names its own."
  type = object({
    cores     = number
    sockets   = number
    memory    = number
    disk_size = number
  })
}

variable "vm_worker_defaults" {
  description = "Sizes of a worker's VM. Every node names its own."
  type = object({
    cores     = number
    sockets   = number
    memory    = number
    disk_size = number
  })
}

variable "vm_advanced" {
  description = "Hardware of every VM, where its node says nothing else."
  type = object({
    bios           = string
    machine        = string
    cpu_type       = string
    scsi_hw        = string
    balloon        = number
    numa           = bool
    qemu_agent     = bool
    net_queues     = optional(number)
    disk_discard   = bool
    disk_ssd       = bool
    tags           = list(string)
    network_bridge = string
    ostype         = string
    disk_backup    = optional(bool)
    disk_replicate = bool
    disk_cache     = optional(string)
    disk_aio       = optional(string)
    disk_iothread  = bool
    net_firewall   = bool
    on_boot        = bool
  })
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
      bios           = optional(string)
      machine        = optional(string)
      cpu_type       = optional(string)
      scsi_hw        = optional(string)
      balloon        = optional(number)
      numa           = optional(bool)
      qemu_agent     = optional(bool)
      net_queues     = optional(number)
      disk_discard   = optional(bool)
      disk_ssd       = optional(bool)
      tags           = optional(list(string))
      network_bridge = optional(string)
      ostype         = optional(string)
      disk_backup    = optional(bool)
      disk_replicate = optional(bool)
      disk_cache     = optional(string)
      disk_aio       = optional(string)
      disk_iothread  = optional(bool)
      net_firewall   = optional(bool)
      on_boot        = optional(bool)
    }), {})
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

variable "csi" {
  description = "Access of the Proxmox CSI driver. Read back by oxherd; no resource uses it."
  type        = any
  default     = null
}
`;
