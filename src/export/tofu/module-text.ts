/** The module `talos-vm`: a Talos VM and, in the layout `data-vm`, the VM that owns its data. */

export interface ModuleOptions {
  /** For a living cluster: drives are left as they are found. */
  readonly adopts: boolean;
}

export function moduleMainTf({ adopts }: ModuleOptions): string {
  return `locals {
  role   = var.node.controller ? "control-plane" : "worker"
  labels = var.node.layout == "data-vm" ? ["k8s", local.role] : []
  prefix = split("/", var.network.cidr)[1]
  dns    = var.node.dns_servers != null ? var.node.dns_servers : var.network.dns_servers

  # Keyed by name; where a disk sits is said by its interface, never by its place in a list.
  own_disks  = { for name, disk in var.node.disks : name => disk if disk.data_interface == null }
  data_disks = { for name, disk in var.node.disks : name => disk if disk.data_interface != null }
}

# Owns the data and never runs: the Talos VM can be thrown away and made again.
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
  delete_unreferenced_disks_on_destroy = false

  cpu {
    cores   = 1
    sockets = 1
    type    = "qemu64"
  }

  memory {
    dedicated = 512
  }

  operating_system {
    type = "other"
  }

  dynamic "disk" {
    for_each = local.data_disks

    content {
      interface    = disk.value.data_interface
      datastore_id = disk.value.datastore
      size         = disk.value.size
      file_format  = "raw"
      aio          = coalesce(var.advanced.disk_aio, "io_uring")
      cache        = coalesce(var.advanced.disk_cache, "none")
      discard      = var.advanced.disk_discard ? "on" : "ignore"
      iothread     = var.advanced.disk_iothread
      ssd          = var.advanced.disk_ssd
      replicate    = var.advanced.disk_replicate
      # Backed up through the Talos VM, once.
      backup = false
    }
  }

  lifecycle {
    prevent_destroy = true
${adopts ? ADOPTED_DISKS : ''}  }
}

resource "proxmox_virtual_environment_vm" "talos" {
  node_name       = var.node.proxmox_node
  vm_id           = var.node.vm_id
  name            = var.node.name
  description     = var.node.description
  tags            = sort(distinct(concat([var.cluster_tag], local.labels, var.advanced.tags)))
  pool_id         = var.pool
  bios            = var.advanced.bios
  machine         = var.advanced.machine
  scsi_hardware   = var.advanced.scsi_hw
  on_boot         = var.advanced.on_boot
  boot_order      = var.node.boot == "iso" ? ["scsi0", "ide2", "net0"] : ["scsi0"]
  stop_on_destroy = true

  # The data VM's disks are attached here and stay there.
  delete_unreferenced_disks_on_destroy = false

  # A change that needs a stop is refused here: oxherd rolls it through the cluster, node by node.
  reboot_after_update = false

  agent {
    enabled = var.advanced.qemu_agent
    timeout = "1m"
  }

  cpu {
    cores   = var.node.vm_cores
    sockets = var.node.vm_sockets
    type    = var.advanced.cpu_type
    numa    = var.advanced.numa
  }

  memory {
    dedicated = var.node.vm_memory
    floating  = var.advanced.balloon
  }

  operating_system {
    type = var.advanced.ostype
  }

  # Talos reads its host name from the serial, and the CSI driver the VM id.
  smbios {
    uuid   = var.node.smbios_uuid
    serial = "h=\${var.node.name};i=\${var.node.vm_id}"
  }

  dynamic "startup" {
    for_each = coalesce(var.node.vm_startup_order, var.node.vm_startup_delay, var.node.vm_shutdown_delay, -1) >= 0 ? [var.node] : []

    content {
      order      = startup.value.vm_startup_order
      up_delay   = startup.value.vm_startup_delay
      down_delay = startup.value.vm_shutdown_delay
    }
  }

  dynamic "efi_disk" {
    for_each = var.advanced.bios == "ovmf" ? [var.node.datastore] : []

    content {
      datastore_id      = efi_disk.value
      type              = "4m"
      pre_enrolled_keys = false
    }
  }

  dynamic "tpm_state" {
    for_each = var.node.tpm ? [var.node.datastore] : []

    content {
      datastore_id = tpm_state.value
      version      = "v2.0"
    }
  }

  dynamic "cdrom" {
    for_each = var.node.boot == "iso" ? [var.image_id] : []

    content {
      file_id   = cdrom.value
      interface = "ide2"
    }
  }

  dynamic "disk" {
    for_each = local.own_disks

    content {
      interface    = disk.value.interface
      datastore_id = disk.value.datastore
      import_from  = var.node.boot == "image" ? var.image_id : null
      size         = disk.value.size
      file_format  = "raw"
      aio          = coalesce(var.advanced.disk_aio, "io_uring")
      cache        = coalesce(var.advanced.disk_cache, "none")
      discard      = var.advanced.disk_discard ? "on" : "ignore"
      iothread     = var.advanced.disk_iothread
      ssd          = var.advanced.disk_ssd
      replicate    = var.advanced.disk_replicate
      backup       = disk.value.backup
    }
  }

  # Disks of the data VM, by the interface they have there.
  dynamic "disk" {
    for_each = local.data_disks

    content {
      interface    = disk.value.interface
      datastore_id = disk.value.datastore
      path_in_datastore = one([
        for owned in proxmox_virtual_environment_vm.data[0].disk : owned.path_in_datastore
        if owned.interface == disk.value.data_interface
      ])
      size        = disk.value.size
      file_format = "raw"
      aio         = coalesce(var.advanced.disk_aio, "io_uring")
      cache       = coalesce(var.advanced.disk_cache, "none")
      discard     = var.advanced.disk_discard ? "on" : "ignore"
      iothread    = var.advanced.disk_iothread
      ssd         = var.advanced.disk_ssd
      replicate   = var.advanced.disk_replicate
      backup      = disk.value.backup
    }
  }

  network_device {
    bridge      = var.advanced.network_bridge
    mac_address = var.node.mac_addr
    vlan_id     = var.node.vlan_tag
    mtu         = var.node.mtu
    queues      = var.advanced.net_queues
    firewall    = var.advanced.net_firewall
  }

  dynamic "network_device" {
    for_each = var.node.nics

    content {
      bridge      = network_device.value.bridge
      mac_address = network_device.value.mac_addr
      vlan_id     = network_device.value.vlan_tag
      mtu         = network_device.value.mtu
      queues      = network_device.value.queues
      firewall    = network_device.value.firewall
    }
  }

  dynamic "hostpci" {
    for_each = var.node.pci

    content {
      device  = "hostpci\${hostpci.key}"
      mapping = hostpci.value.mapping
      pcie    = hostpci.value.pcie
      rombar  = hostpci.value.rombar
      xvga    = hostpci.value.xvga
    }
  }

  # The address of the first boot; afterwards it is in the machine config.
  dynamic "initialization" {
    for_each = var.network.first_boot == "static" ? [var.node] : []

    content {
      datastore_id = initialization.value.datastore
      interface    = initialization.value.boot == "iso" ? "ide0" : "ide2"

      ip_config {
        ipv4 {
          address = "\${initialization.value.address}/\${local.prefix}"
          gateway = var.network.gateway
        }
      }

      # One block per NIC, in their order, also for those without an address.
      dynamic "ip_config" {
        for_each = initialization.value.nics

        content {
          dynamic "ipv4" {
            for_each = ip_config.value.address != null ? [ip_config.value.address] : []

            content {
              address = ipv4.value
            }
          }
        }
      }

      dynamic "dns" {
        for_each = length(local.dns) + length(var.network.search_domains) > 0 ? [local.dns] : []

        content {
          servers = dns.value
          domain  = length(var.network.search_domains) > 0 ? join(" ", var.network.search_domains) : null
        }
      }
    }
  }

  lifecycle {
${adopts ? ADOPTED_DISKS : CREATED_DISKS}  }
}
`;
}

const ADOPTED_DISKS = `    # oxherd gave each drive a WWN. The provider knows none, and an update of a drive would drop it.
    ignore_changes = [disk, cdrom]
`;
const CREATED_DISKS = `    # Another image is for new VMs: Talos upgrades itself in place.
    ignore_changes = [disk[0].import_from, cdrom]
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
