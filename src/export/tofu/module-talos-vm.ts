/** The VM of the module `talos-vm` that Talos runs in. */

import type { ModuleOptions } from './model.js';
import { ADOPTED_DISKS, ATTACHED_DRIVES, CREATED_DISKS, OWN_DRIVES } from './module-drives.js';

export function talosVmTf({ adopts }: ModuleOptions): string {
  return `${HARDWARE}${adopts ? ADOPTED_DISKS : CREATED_DISKS}${END}`;
}

const HARDWARE = `resource "proxmox_virtual_environment_vm" "talos" {
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
  stop_on_destroy = var.imported ? true : null

  # The data VM's disks are attached here and stay there.
  delete_unreferenced_disks_on_destroy = var.imported ? false : null

  # A change that needs a stop is refused here: oxherd rolls it through the cluster, node by node.
  reboot_after_update = var.imported ? false : null

  agent {
    enabled = var.advanced.qemu_agent
    timeout = var.imported ? "1m" : "15m"
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

${OWN_DRIVES}
  # Disks of the data VM, by the interface they have there.
${ATTACHED_DRIVES}
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
`;

const END = `  }
}
`;
