/** What `oxherd export tofu` wrote, read again: the same VMs, disks, images and access. */

import { smbiosUuidOf } from '../../formats/marks/identities.js';
import { isMapping } from '../../formats/text/mapping.js';
import { readYaml } from '../../formats/text/yaml-text.js';
import { parseVmid } from '../../model/identity.js';
import type { ForeignDocument } from '../foreign/document.js';
import { type Given, Section } from '../foreign/section.js';
import { Translation } from '../foreign/translation.js';
import type { Report } from '../report.js';
import type { Path } from '../yaml/position.js';
import { translateExportedNode } from './exported-nodes.js';

/** The exported file has a list of nodes and `vm_advanced`, the module's has a map of nodes. */
export function isExported({ raw }: ForeignDocument): boolean {
  return Array.isArray(raw.nodes) && isMapping(raw.vm_advanced);
}

export function translateExported(document: ForeignDocument, report: Report): Translation {
  const to = new Translation();
  const root = new Section([], document.raw, report, { converts: true });
  translateProxmox(root, to);
  translateCluster(root, to);
  translateNetwork(root, to);
  const schematics = new Map(
    Object.entries(isMapping(document.raw.schematics) ? document.raw.schematics : {}).map(([id, text]) => [
      id,
      readSchematic(root, ['schematics', id], text),
    ]),
  );
  root.has(
    'schematics',
    'registered_schematics',
    'present_images',
    'imported',
    'images',
    'vm_defaults',
    'vm_controller_defaults',
    'vm_worker_defaults',
  );
  root.has('proxmox_node', 'node_vlan_tag');
  const advanced = root.section('vm_advanced');
  const { cluster } = document.raw;
  const named = isMapping(cluster)
    ? { name: String(cluster.name), env: String(cluster.env ?? '') }
    : undefined;
  const computedUuid = (node: Section): string | undefined => {
    const vmid = parseVmid(node.integer('vm_id')?.value ?? 0);
    return named && vmid && smbiosUuidOf(named, vmid);
  };
  to.place(['nodes'], ['nodes']);
  const nodes = root.list('nodes');
  for (const node of nodes) translateExportedNode(node, advanced, schematics, to, computedUuid);
  // Only this profile leaves cache and I/O to Proxmox, and then every other key is written out.
  const terse = nodes.some(
    (node) => !node.section('advanced').has('disk_cache') && !advanced.has('disk_cache'),
  );
  if (terse) to.put(['defaults', 'profile'], 'template', ['vm_advanced']);
  if (nodes.some((node) => node.flag('tpm')?.value))
    to.put(['talos', 'encryption', 'state'], 'tpm', ['nodes']);
  translateVolumes(root, to);
  translateCsi(root, to);
  translateSettings(root, to);
  root.refuseUnknown();
  return to;
}

function translateProxmox(root: Section, to: Translation): void {
  to.move(
    ['proxmox', 'endpoint'],
    root.required(root.text('proxmox_api_url'), 'proxmox_api_url', '"https://pve.lan:8006"'),
  );
  const insecure = root.flag('proxmox_insecure');
  if (insecure?.value) to.move(['proxmox', 'insecure'], insecure);
  to.move(
    ['proxmox', 'cluster'],
    root.required(root.text('proxmox_cluster'), 'proxmox_cluster', '"homelab"'),
  );
  to.move(['proxmox', 'pool'], root.text('proxmox_pool'));
  to.move(['proxmox', 'imageStorage'], root.text('image_datastore'));
  // Where the provider looks for the token, too.
  to.put(['proxmox', 'token'], 'env:PROXMOX_VE_API_TOKEN', []);
}

function translateCluster(root: Section, to: Translation): void {
  const cluster = root.section('cluster');
  to.place(['cluster'], ['cluster']);
  to.move(['cluster', 'name'], cluster.required(cluster.text('name'), 'name', '"homelab"'));
  const env = cluster.text('env');
  if (env?.value !== '') to.move(['cluster', 'env'], env);
  to.move(['cluster', 'vip'], cluster.text('vip'));
  to.move(['cluster', 'endpoint'], cluster.text('endpoint'));
  to.move(
    ['cluster', 'kubernetes'],
    cluster.required(cluster.text('kubernetes_version'), 'kubernetes_version', '"v1.36.0"'),
  );
  to.move(
    ['talos', 'version'],
    cluster.required(cluster.text('talos_version'), 'talos_version', '"v1.14.1"'),
  );
  to.move(['talos', 'factory'], cluster.text('factory_url'));
  to.move(['talos', 'platform'], cluster.text('platform'));
  to.move(['talos', 'arch'], cluster.text('arch'));
  to.move(['cluster', 'scheduleOnControlPlanes'], cluster.flag('allow_scheduling_on_controlplane'));
  cluster.has('tag');
  cluster.refuseUnknown();
}

function translateNetwork(root: Section, to: Translation): void {
  const network = root.section('network');
  to.place(['network'], ['network']);
  to.move(['network', 'subnet'], network.required(network.text('cidr'), 'cidr', '"10.20.30.0/24"'));
  to.move(['network', 'gateway'], network.required(network.text('gateway'), 'gateway', '"10.20.30.254"'));
  to.move(['network', 'dns'], network.texts('dns_servers'), (list) => [...list]);
  to.move(['network', 'searchDomains'], network.texts('search_domains'), (list) => [...list]);
  to.move(['network', 'ntp'], network.texts('ntp_servers'), (list) => [...list]);
  to.move(['network', 'firstBoot'], network.oneOf('first_boot', ['static', 'dhcp']));
  network.refuseUnknown();
}

/** Machine configs and what runs in Kubernetes: in the shape of oxherd.yaml already. */
function translateSettings(root: Section, to: Translation): void {
  const text = root.text('settings');
  if (!text || text.value.trim() === '') return;
  const settings = readSchematic(root, text.path, text.value)?.value ?? {};
  for (const section of ['cluster', 'talos', 'network', 'kubernetes', 'nodes']) {
    for (const [key, value] of Object.entries(isMapping(settings[section]) ? settings[section] : {})) {
      const isMerged =
        isMapping(value) && (section === 'nodes' || (section === 'kubernetes' && key === 'csi'));
      if (!isMerged) to.put([section, key], value, text.path);
      else for (const [inner, each] of Object.entries(value)) to.put([section, key, inner], each, text.path);
    }
  }
}

function readSchematic(root: Section, path: Path, text: unknown): Given<Record<string, unknown>> | undefined {
  try {
    const value: unknown = typeof text === 'string' ? readYaml(text) : undefined;
    if (isMapping(value)) return { value, path };
  } catch {
    // Said below, as for every other text that is no mapping.
  }
  root.refuse(path, 'config.value', 'the text is not a YAML mapping');
  return undefined;
}

/** Keys of a volume are those of oxherd.yaml already. */
function translateVolumes(root: Section, to: Translation): void {
  for (const { name, section } of root.entries('volumes')) {
    to.place(['volumes', name], section.path);
    for (const key of section.keys) {
      const given: Given<unknown> | undefined =
        key === 'backup' ? section.flag(key) : key === 'vmid' ? section.integer(key) : section.text(key);
      to.move(['volumes', name, key], given);
    }
  }
}

function translateCsi(root: Section, to: Translation): void {
  if (!root.has('csi')) return;
  const csi = root.section('csi');
  to.put(['kubernetes', 'csi'], {}, csi.path);
  to.move(['kubernetes', 'csi', 'delete'], csi.flag('delete'));
  to.move(['kubernetes', 'csi', 'acceptDeleteRisk'], csi.flag('accept_delete_risk'));
  for (const { name, section } of csi.entries('storage_classes')) {
    for (const key of section.keys) {
      const isFlag = key === 'ssd' || key === 'backup';
      const given: Given<unknown> | undefined = isFlag ? section.flag(key) : section.text(key);
      to.move(['kubernetes', 'csi', 'storageClasses', name, key], given);
    }
  }
  csi.refuseUnknown();
}
