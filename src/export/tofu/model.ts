/** The design in the words of the cluster template's terraform.tfvars, and what that file had no word for. */

import { stringify } from 'yaml';
import type { Config, NodeConfig } from '../../config/config.js';
import type { Design, NodeDesign } from '../../design/design.js';
import { formatCidr } from '../../model/address.js';
import { formatSize, MIB } from '../../model/size.js';
import { formatVersion } from '../../model/version.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { sharedAdvanced } from './advanced-model.js';
import type { HclValue } from './hcl-print.js';
import { imagesInUse, keyOfImage, presentImages } from './images.js';
import { nodeValues, type TofuFacts, type TofuSources } from './node-model.js';
import { settingsOf } from './settings.js';
import { type Values, wholeGib } from './values.js';

/** Every variable of the exported root module with its value. */
export function tofuVariables(config: Config, design: Design, sources: TofuSources = {}): Values {
  const { observed } = sources;
  const nodes = design.nodes.flatMap((node) => {
    const said = config.nodes.find((each) => each.name === node.name);
    return said ? [{ node, said }] : [];
  });
  const first = nodes[0]?.said;
  const shared = sharedAdvanced(nodes.map(({ said }) => said));
  const { cluster, talos, network, proxmox } = config;
  return {
    proxmox_api_url: proxmox.endpoints[0] ?? '',
    proxmox_insecure: proxmox.tls.kind === 'insecure',
    proxmox_cluster: proxmox.cluster,
    proxmox_node: nodes[0]?.node.host ?? null,
    proxmox_pool: design.pool ?? null,
    image_datastore: proxmox.imageStorage,
    node_vlan_tag: first?.nics[0]?.vlan ?? null,
    cluster: {
      name: cluster.name,
      env: cluster.env,
      tag: design.cluster.tag,
      vip: cluster.vip ?? null,
      endpoint: cluster.endpoint ?? null,
      kubernetes_version: formatVersion(cluster.kubernetes),
      allow_scheduling_on_controlplane: cluster.scheduleOnControlPlanes,
      talos_version: formatVersion(talos.version),
      factory_url: talos.factory,
      platform: talos.platform,
      arch: talos.arch,
    },
    network: {
      cidr: formatCidr(network.subnet),
      gateway: network.gateway,
      dns_servers: [...network.dns],
      search_domains: [...network.searchDomains],
      ntp_servers: [...network.ntp],
      first_boot: network.firstBoot,
    },
    schematics: schematics(nodes),
    registered_schematics: registered(design, observed),
    images: images(design, observed),
    present_images: observed ? presentImages(design, observed).map(keyOfImage) : [],
    imported: observed === undefined,
    vm_defaults: first ? sizesOf(first) : {},
    vm_controller_defaults: roleSizes(config, 'controlplane'),
    vm_worker_defaults: roleSizes(config, 'worker'),
    vm_advanced: shared,
    nodes: nodes.map(({ node, said }) => nodeValues(node, said, config, shared, sources)),
    volumes: volumes(config),
    csi: csi(config),
    settings: settingsOf(config).text,
  };
}

function sizesOf({ vm }: NodeConfig): Values {
  return {
    cores: vm.cores,
    sockets: vm.sockets,
    memory: vm.memory / MIB,
    disk_size: wholeGib(vm.disk, 'disk'),
  };
}

function roleSizes(config: Config, role: NodeConfig['role']): Values {
  const node = config.nodes.find((each) => each.role === role) ?? config.nodes[0];
  return node ? sizesOf(node) : {};
}

function schematics(nodes: readonly { node: NodeDesign; said: NodeConfig }[]): Values {
  return Object.fromEntries(
    nodes.map(({ node, said }) => [node.schematicId, stringify(said.schematic, { compat: 'yaml-1.1' })]),
  );
}

/** The VMs that are there were made or upgraded from them: the factory has them, and keeps them. */
function registered({ nodes }: Design, observed?: TofuFacts): string[] {
  const there = nodes.filter(({ talosVm }) => (observed && visibleVm(observed, talosVm.vmid)) !== undefined);
  return [...new Set(there.map(({ schematicId }) => schematicId))].sort();
}

function images(design: Design, observed?: TofuFacts): Values {
  return Object.fromEntries(
    imagesInUse(design, observed).map((image) => [
      keyOfImage(image),
      {
        proxmox_node: image.host,
        content: image.content,
        file_name: image.filename,
        url: image.url,
      },
    ]),
  );
}

function volumes(config: Config): Values {
  return Object.fromEntries(
    config.volumes.map((volume): [string, HclValue] => {
      const { name, ...rest } = volume;
      const known = Object.entries(rest).flatMap(([key, value]): [string, HclValue][] =>
        value === undefined
          ? []
          : [[key, key === 'size' && 'size' in volume ? formatSize(volume.size) : value]],
      );
      return [name, Object.fromEntries(known)];
    }),
  );
}

function csi(config: Config): HclValue {
  const { csi: section } = config.kubernetes;
  if (!section) return null;
  return {
    delete: section.delete,
    accept_delete_risk: section.acceptDeleteRisk,
    storage_classes: Object.fromEntries(
      section.storageClasses.map(({ name, ...values }): [string, HclValue] => [name, { ...values }]),
    ),
  };
}

export interface ModuleOptions {
  /** For a living cluster: drives are left as they are found. */
  readonly adopts: boolean;
}
