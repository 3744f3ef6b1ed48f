/** talhelper's talconfig.yaml, and topf's topf.yaml with its folders of patches, as an oxherd.yaml. */
import { isMapping } from '../../formats/text/mapping.js';
import { Section } from '../foreign/section.js';
import { Translation } from '../foreign/translation.js';
import type { Path } from '../yaml/position.js';
import { folderPatches, PLACEHOLDERS, type TalconfigInput } from './input.js';
import { type FoundNetwork, networkOf } from './interfaces.js';
import { translateNodeConfigs } from './node-configs.js';
import { translateTalconfigNodes } from './nodes.js';
import { type Patch, type PatchInput, readPatch } from './patches.js';
import type { TalosTool } from './shape.js';

const VERSIONS = {
  talosVersion: { here: ['talos', 'version'], otherwise: 'v1.14.1' },
  kubernetesVersion: { here: ['cluster', 'kubernetes'], otherwise: 'v1.36.0' },
} as const;

type RolePatches = Record<'all' | 'controlplane' | 'worker', Patch[]>;

export function translateTalconfig(input: TalconfigInput): Translation {
  const { document, report, tool } = input;
  const to = new Translation();
  const root = new Section([], document.raw, report, { converts: false });
  to.move(['cluster', 'name'], root.required(root.text('clusterName'), 'clusterName', 'homelab'));
  translateVersions(root, to);
  translateCluster(root, document.raw, to);
  const patches: RolePatches = { all: [], controlplane: [], worker: [] };
  for (const role of ['controlPlane', 'worker'] as const) {
    const ours = role === 'worker' ? 'worker' : 'controlplane';
    const values = document.raw[role];
    const section = root.section(role);
    const here = (key: string) => ['defaults', ours, key];
    patches[ours].push(...translateNodeConfigs(section, isMapping(values) ? values : {}, here, to, input));
  }
  patches.all.push(...clusterPatches(root, document.raw, input));
  const found: FoundNetwork = {};
  translateTalconfigNodes(root, to, found, input);
  if (tool === 'topf') addFolders(patches, input);
  for (const [role, list] of Object.entries(patches)) {
    if (list.length > 0) to.put(['talos', 'patches', role], list, []);
  }
  translateEndpoint(root, to, found, tool);
  translateNetwork(root, to, found);
  sayProxmox(root, to);
  to.put(['defaults', 'all', 'layout'], 'single', []);
  root.refuseUnknown();
  return to;
}

function translateVersions(root: Section, to: Translation): void {
  for (const [key, { here, otherwise }] of Object.entries(VERSIONS)) {
    const given = root.looseText(key);
    if (given) to.move(here, given, (version) => (version.startsWith('v') ? version : `v${version}`));
    else {
      to.put(here, otherwise, []);
      root.warn(
        [],
        'talconfig.version',
        `no \`${key}\` is set: ${otherwise} is taken`,
        `write \`${key}: ${otherwise}\``,
      );
    }
  }
}

function translateCluster(root: Section, raw: Readonly<Record<string, unknown>>, to: Translation): void {
  to.move(['cluster', 'domain'], root.text('domain'));
  to.move(
    ['cluster', 'scheduleOnControlPlanes'],
    root.flag('allowSchedulingOnControlPlanes', 'allowSchedulingOnMasters'),
  );
  to.move(['cluster', 'podSubnets'], root.texts('clusterPodNets'), (list) => [...list]);
  to.move(['cluster', 'serviceSubnets'], root.texts('clusterSvcNets'), (list) => [...list]);
  const names = [root.texts('additionalMachineCertSans'), root.texts('additionalApiServerCertSans')];
  const all = [...new Set(names.flatMap((given) => given?.value ?? []))];
  if (all.length > 0) to.put(['cluster', 'certSANs'], all, (names[0] ?? names[1])?.path ?? []);
  const factory = root.section('imageFactory');
  to.move(['talos', 'factory'], factory.text('registryURL'), (url) =>
    url.includes('://') ? url : `https://${url}`,
  );
  factory.has('schematicEndpoint', 'protocol', 'installerURLTmpl', 'ISOURLTmpl', 'imageURLTmpl');
  if (root.has('secretsProvider', 'data') && raw.data !== undefined) {
    root.warn(
      ['data'],
      'talconfig.template',
      'data of templates is not carried over',
      'write what the templates made of it as patches',
    );
  }
}

/** `cniConfig`, inline manifests and patches of the whole cluster. */
function clusterPatches(root: Section, raw: Readonly<Record<string, unknown>>, input: PatchInput): Patch[] {
  root.has('cniConfig', 'inlineManifests', 'patches');
  const patches: Patch[] = [];
  const list = (key: string): readonly unknown[] => (Array.isArray(raw[key]) ? raw[key] : []);
  if (isMapping(raw.cniConfig)) patches.push({ cluster: { network: { cni: raw.cniConfig } } });
  const manifests = list('inlineManifests')
    .filter(isMapping)
    .map(({ name, contents }, i) => ({
      name,
      contents: manifestText(contents, ['inlineManifests', i, 'contents'], input),
    }));
  if (manifests.length > 0) patches.push({ cluster: { inlineManifests: manifests } });
  return [...patches, ...list('patches').flatMap((entry, i) => readPatch(entry, ['patches', i], input))];
}

function manifestText(contents: unknown, path: Path, { readText, report }: PatchInput): string {
  const text = String(contents ?? '');
  const file = /^@(?:\.\/)?(\S+)$/.exec(text.trim())?.[1];
  const read = file === undefined ? text : readText(file);
  if (read === undefined) {
    report.error({ code: 'config.file-missing', path, message: `there is no readable file \`${file}\`` });
  }
  return read ?? '';
}

/** `endpoint` is the VIP, or a name or address that something else answers on. */
function translateEndpoint(root: Section, to: Translation, { vip }: FoundNetwork, tool: TalosTool): void {
  const key = tool === 'topf' ? 'clusterEndpoint' : 'endpoint';
  const endpoint = root.required(root.text(key), key, 'https://10.20.30.40:6443');
  const host = /^https:\/\/([^:/]+)/.exec(endpoint?.value ?? '')?.[1];
  if (vip) to.put(['cluster', 'vip'], vip.value, vip.path);
  if (endpoint && host !== vip?.value)
    to.move(['cluster', 'endpoint'], endpoint, (url) => url.replace(/\/$/, ''));
}

function translateNetwork(root: Section, to: Translation, { subnet, gateway }: FoundNetwork): void {
  const [first] = root.list('nodes');
  const address = first?.text('ipAddress', 'ip')?.value.split(',')[0]?.trim() ?? '';
  const guessed = networkOf(address, 24);
  const network = subnet?.text ?? (guessed && `${guessed.network}/24`);
  if (network === undefined) return;
  to.put(['network', 'subnet'], network, subnet?.path ?? []);
  const otherwise = network.replace(/\d+\/\d+$/, '1');
  to.put(['network', 'gateway'], gateway?.value ?? otherwise, gateway?.path ?? []);
  if (subnet && gateway) return;
  root.warn(
    [],
    'talconfig.network',
    `no interface has a fixed address and a default route: ${network} with the gateway ${gateway?.value ?? otherwise} is taken`,
    'check `network` in oxherd.yaml: oxherd gives machines fixed addresses',
  );
}

function sayProxmox(root: Section, to: Translation): void {
  to.put(['proxmox', 'endpoint'], PLACEHOLDERS.endpoint, []);
  to.put(['proxmox', 'cluster'], PLACEHOLDERS.cluster, []);
  to.put(['proxmox', 'token'], 'env:OXHERD_PROXMOX_TOKEN', []);
  for (const key of ['endpoint', 'cluster'])
    to.comment(['proxmox', key], { text: 'placeholder', place: 'behind' });
  to.comment(['proxmox', 'token'], { text: 'where the API token is', place: 'behind' });
  root.warn(
    [],
    'talconfig.proxmox',
    'this file does not speak of Proxmox: `proxmox`, and `host`, `vmid`, `cores`, `memory` and `disk` of the nodes are placeholders',
    'write those of your VMs into oxherd.yaml before anything else',
  );
  to.remark(
    'Placeholders: proxmox.endpoint, proxmox.cluster, and host, vmid, cores, memory and disk of the nodes.',
  );
}

function addFolders(patches: RolePatches, input: TalconfigInput): void {
  const folders = { all: 'all', controlplane: 'control-plane', worker: 'worker' } as const;
  for (const [role, folder] of Object.entries(folders) as [keyof RolePatches, string][]) {
    patches[role].push(...folderPatches(folder, [], input));
  }
}
