/** Every key of the module's documented examples: another value makes another cluster, before and after `convert`. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../design/canonical-json.js';
import { design } from '../../design/design-cluster.js';
import { kubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { MachineConfigWriter } from '../../design/machine-config/machine-config.js';
import { isMapping } from '../../formats/text/mapping.js';
import type { Config } from '../config.js';
import { hoistDefaults } from '../convert/hoist-defaults.js';
import { writeCommentedYaml } from '../convert/write-yaml.js';
import { loadConfig } from '../load.js';
import { loadTfvars } from './load.js';
import { readVariables } from './read-variables.js';

const FOLDER = join(
  dirname(fileURLToPath(import.meta.url)),
  '../../../test/fixtures/config/from-tfvars/documented',
);
const TEXT = readFileSync(join(FOLDER, 'terraform.tfvars'), 'utf8');

/** Files that the other values name. */
const OTHER_FILES: Readonly<Record<string, string>> = {
  'other.yaml':
    'customization: { systemExtensions: { officialExtensions: [siderolabs/nfs-utils, siderolabs/qemu-guest-agent] } }\n',
  'values.yaml': 'hubble: { enabled: false }\n',
  'install.yaml': 'apiVersion: batch/v1\nkind: Job\nmetadata: { name: other }\n',
  'other.cert': 'another certificate',
  'other.key': 'another key',
};

function readText(path: string): string | undefined {
  if (OTHER_FILES[path] !== undefined) return OTHER_FILES[path];
  try {
    return readFileSync(join(FOLDER, path), 'utf8');
  } catch {
    return undefined;
  }
}

type Values = Record<string, unknown>;
type Path = readonly string[];

const example = (): Values => ({
  ...readVariables([{ path: 'terraform.tfvars', name: 'terraform.tfvars', text: TEXT }]).document?.raw,
});

/** Another value for each key; nodes and volumes have one for all of them. `alone`: what it needs to be seen. */
const OTHER: Readonly<Record<string, unknown>> = {
  bootstrap_manifest_path: 'install.yaml',
  values_file_path: 'values.yaml',
  'cluster.gateway': '10.20.30.253',
  'cluster.gateway_api_version': 'v1.4.0',
  'cluster.kubernetes_version': 'v1.35.2',
  'cluster.name': 'other',
  'cluster.proxmox_cluster': 'rack',
  'cluster.allow_scheduling_on_controlplane': false,
  'cluster.api_server': 'extraArgs: { v: "4" }',
  'cluster.extra_manifests': ['https://example.com/other.yaml'],
  'cluster.machine_features': 'hostDNS: { forwardKubeDNSToHost: true }',
  'cluster.kubelet': 'registerWithFQDN: false',
  'cluster.on_boot': true,
  'cluster.talos_machine_config_version': 'v1.13.0',
  'cluster.vip': '10.20.30.39',
  env: 'prod',
  'image.schematic_path': 'other.yaml',
  'image.version': 'v1.13.1',
  'image.arch': 'arm64',
  'image.factory_url': 'https://elsewhere.example.com',
  'image.platform': 'nocloud',
  'image.datastore': 'nfs',
  'image.update_schematic_path': 'other.yaml',
  'image.update_version': 'v1.14.0',
  'nodes.*.cpu': 6,
  'nodes.*.host_node': 'pve9',
  'nodes.*.ip': '10.20.30.99',
  'nodes.*.machine_type': 'controlplane',
  'nodes.*.ram_dedicated': 12_288,
  'nodes.*.vm_id': 777,
  'nodes.*.bridge': 'vmbr9',
  'nodes.*.cpu_type': 'host',
  'nodes.*.datastore': 'ceph',
  'nodes.*.disksize': 31,
  'nodes.*.dns': ['8.8.8.8'],
  'nodes.*.igpu': false,
  'nodes.*.mac_address': 'BC:24:11:2E:C8:99',
  'nodes.*.vlan': 99,
  'proxmox.cluster_name': undefined,
  'proxmox.endpoint': 'https://other.example.com:8006',
  'proxmox.insecure': true,
  'proxmox.username': undefined,
  proxmox_api_token: null,
  'sealed_secrets_config.certificate_path': 'other.cert',
  'sealed_secrets_config.key_path': 'other.key',
  'volumes.*.node': 'pve9',
  'volumes.*.size': '99G',
  'volumes.*.format': 'raw',
  'volumes.*.datastore': 'ceph',
  'volumes.*.type': undefined,
  'volumes.*.vmid': '9875',
};

/** What cannot be on these VMs is refused, never ignored. */
const REFUSED: Readonly<Record<string, string>> = {
  'image.arch': 'node.pci',
  'nodes.controller1.machine_type': 'cluster.no-control-plane',
};

/** What changes nothing on purpose, and says so: there is no SSH, and two names of one region must agree. */
const SAID_ONLY: Readonly<Record<string, string>> = {
  'proxmox.username': 'tfvars.ssh',
  'proxmox.cluster_name': 'tfvars.region',
};

function leaves(values: Values, path: Path = []): Path[] {
  return Object.entries(values).flatMap(([key, value]) =>
    isMapping(value) ? leaves(value, [...path, key]) : [[...path, key]],
  );
}

const generic = (path: Path) =>
  path.length === 3 && (path[0] === 'nodes' || path[0] === 'volumes')
    ? [path[0], '*', path[2]].join('.')
    : path.join('.');

function withValue(values: Values, [key = '', ...rest]: Path, value: unknown): Values {
  const inner = values[key];
  return {
    ...values,
    [key]: rest.length === 0 ? value : withValue(isMapping(inner) ? inner : {}, rest, value),
  };
}

function load(values: Values) {
  const text = JSON.stringify(values);
  return loadTfvars({ files: [{ path: 'x.tfvars.json', name: 'x.tfvars.json', text }], readText });
}

/** All that a config leads to: VMs, machine configs, objects, and how Proxmox is reached. */
function meaning(config: Config | undefined): string {
  if (!config) throw new Error('it does not load');
  const designed = design(config);
  const configs = new MachineConfigWriter(config, designed);
  return canonicalJson({
    designed,
    machines: config.nodes.map(({ name }) => configs.forNode(name).documents),
    kubernetes: kubernetesDesign(config, designed, { storages: {}, sizes: {} }),
    sealed: config.kubernetes.sealedSecrets,
    contract: config.talos.contract,
    proxmox: config.proxmox,
  });
}

/** As `convert` writes it, read again. */
function converted(values: Values): Config | undefined {
  const { raw = {}, wasCalled = new Map(), comments } = load(values);
  const text = writeCommentedYaml({
    raw: hoistDefaults(raw),
    header: [],
    wasCalled,
    ...(comments && { comments }),
  });
  return loadConfig({ path: 'oxherd.yaml', text, readText }).config;
}

/** `update_…` is seen on a node with `update`; the file of the documentation has that commented out. */
function base(path: Path): Values {
  const values = example();
  return path[1]?.startsWith('update_') ? withValue(values, ['nodes', 'worker1', 'update'], true) : values;
}

const KEYS = leaves(example()).map((path) => ({ path, name: path.join('.') }));

describe('keys of the documented examples', () => {
  it.each(KEYS.filter(({ path }) => SAID_ONLY[generic(path)] === undefined))('$name', ({ path }) => {
    const key = generic(path);
    expect(Object.keys(OTHER)).toContain(key);
    const before = base(path);
    const value = key === 'volumes.*.type' ? otherType(before, path) : otherFor(key, path);
    const after = withValue(before, path, value);
    const { config, diagnostics } = load(after);
    if (REFUSED[path.join('.')] !== undefined) {
      expect(config).toBeUndefined();
      expect(diagnostics.map(({ code }) => code)).toContain(REFUSED[path.join('.')] ?? '');
      return;
    }
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(meaning(config)).not.toBe(meaning(load(before).config));
    expect(meaning(converted(after))).toBe(meaning(config));
  });

  it('nodes.worker1.update, which is commented out there', () => {
    const after = withValue(example(), ['nodes', 'worker1', 'update'], true);
    expect(meaning(load(after).config)).not.toBe(meaning(load(example()).config));
    expect(meaning(converted(after))).toBe(meaning(load(after).config));
  });

  it.each(Object.entries(SAID_ONLY))('%s is said to mean nothing', (_, code) => {
    expect(load(example()).diagnostics.map((each) => each.code)).toContain(code);
  });

  it('update versions that no node uses are told, with the command that uses them', () => {
    const { diagnostics, remarks } = load(example());
    const hints = diagnostics.filter(({ code }) => code === 'tfvars.update').map(({ hint }) => hint);
    expect(hints.join('\n')).toContain('oxherd upgrade --talos v1.14.1');
    expect(hints.join('\n')).toContain('talos.schematic: assets/talos/schematic-update.yaml');
    expect(remarks?.join('\n')).toContain('v1.14.1');
  });

  it('Renovate finds versions where they are after `convert`', () => {
    const {
      raw = {},
      wasCalled = new Map(),
      comments,
    } = loadTfvars({
      files: [{ path: 'terraform.tfvars', name: 'terraform.tfvars', text: TEXT }],
      readText,
    });
    const text = writeCommentedYaml({ raw, header: [], wasCalled, ...(comments && { comments }) });
    expect(text).toMatch(/kubernetes: v1\.35\.3 # renovate: github-releases=kubernetes\/kubernetes$/m);
    // Its value is that of a local, and so is its comment.
    expect(text).toMatch(/version: v1\.3\.0 # renovate: github-releases=kubernetes-sigs\/gateway-api$/m);
    expect(text.match(/renovate:/g)).toHaveLength(2);
  });
});

/** The two nodes differ where they must. */
function otherFor(key: string, path: Path): unknown {
  if (key === 'nodes.*.machine_type') return path[1] === 'controller1' ? 'worker' : 'controlplane';
  return OTHER[key];
}

function otherType(values: Values, [, name = '']: Path): string {
  const volumes = isMapping(values.volumes) ? values.volumes : {};
  const volume = isMapping(volumes[name]) ? volumes[name] : {};
  return volume.type === 'disk' ? 'directory' : 'disk';
}
