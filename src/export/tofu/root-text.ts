/** Files of the exported root module that are the same for every cluster. */

export const MAIN_TF = `terraform {
  required_version = ">= 1.7.0"

  required_providers {
    proxmox = {
      source  = "bpg/proxmox"
      version = ">= 0.111.0, < 1.0.0"
    }

    talos = {
      source  = "siderolabs/talos"
      version = ">= 0.10.0, < 1.0.0"
    }
  }
}

# The API token comes from the environment variable PROXMOX_VE_API_TOKEN, never from a file.
provider "proxmox" {
  endpoint = var.proxmox_api_url
  insecure = var.proxmox_insecure
}

provider "talos" {
  image_factory_url = var.cluster.factory_url
}

# The factory serves an image only after its schematic was registered; the id is a hash of it.
resource "talos_image_factory_schematic" "schematic" {
  for_each = { for id, schematic in var.schematics : id => schematic if !contains(var.registered_schematics, id) }

  schematic = each.value

  lifecycle {
    postcondition {
      condition     = self.id == each.key
      error_message = "The factory gives this schematic another id: export it again."
    }
  }
}

# One file per host. The name holds schematic and version: a new version is a new file.
resource "proxmox_download_file" "image" {
  for_each = { for key, image in var.images : key => image if !contains(var.present_images, key) }

  node_name    = each.value.proxmox_node
  datastore_id = var.image_datastore
  content_type = each.value.content
  file_name    = each.value.file_name
  url          = each.value.url
  overwrite    = false

  # On a shared storage another host may have brought it already.
  overwrite_unmanaged = true

  depends_on = [talos_image_factory_schematic.schematic]

  # The provider does not read back where a file came from, and would download it again.
  lifecycle {
    ignore_changes = [url, overwrite, overwrite_unmanaged]
  }
}

resource "proxmox_virtual_environment_pool" "talos" {
  count = var.proxmox_pool != null ? 1 : 0

  pool_id = var.proxmox_pool
  comment = "Talos VMs of \${var.cluster.name}"
}

locals {
  image_ids = {
    for key, image in var.images : key => (
      contains(var.present_images, key)
      ? "\${var.image_datastore}:\${image.content}/\${image.file_name}"
      : proxmox_download_file.image[key].id
    )
  }
}

module "talos_vm" {
  source   = "./modules/talos-vm"
  for_each = { for node in var.nodes : node.name => node }

  node        = each.value
  advanced    = merge(var.vm_advanced, { for key, value in each.value.advanced : key => value if value != null })
  cluster_tag = var.cluster.tag
  imported    = var.imported
  network     = var.network
  pool        = one(proxmox_virtual_environment_pool.talos[*].pool_id)
  image_id    = local.image_ids["\${each.value.proxmox_node}/\${each.value.image}"]
}
`;

export const OUTPUTS_TF = `output "nodes" {
  description = "VM ids and addresses by node."
  value       = { for name, vm in module.talos_vm : name => vm.summary }
}
`;
