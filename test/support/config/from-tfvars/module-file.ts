/** The least variable file of the module, with lines put into it. */
import { readFileSync } from 'node:fs';
import type { Config } from '../../../../src/config/config.js';
import { loadTfvars } from '../../../../src/config/from-tfvars/load.js';
import type { CsiVolume } from '../../../../src/config/volume-config.js';

export const BASE = readFileSync(
  new URL('../../../fixtures/config/from-tfvars/base.tfvars', import.meta.url),
  'utf8',
);

export const FILES: Record<string, string> = {
  'schematic.yaml':
    'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n',
  'other.yaml':
    'customization: { systemExtensions: { officialExtensions: [siderolabs/iscsi-tools, siderolabs/qemu-guest-agent] } }\n',
  'install.yaml': 'kind: Job\n',
  'values.yaml': 'hubble: { enabled: false }\n',
  'a.cert': 'certificate',
  'a.key': 'key',
};

export interface Patch {
  /** Lines for `cluster`, `image`, `proxmox`, and the worker. */
  readonly cluster?: string;
  readonly image?: string;
  readonly proxmox?: string;
  readonly worker?: string;
  /** Further variables. */
  readonly rest?: string;
}

/** The base file with lines put into it. */
export function load(patch: Patch = {}, files = FILES) {
  let text = BASE;
  const into = (marker: string, line: string | undefined) => {
    if (line === undefined) return;
    if (!text.includes(marker)) throw new Error(`the base file has no ${marker}`);
    text = text.replace(marker, () => `${line}\n${marker}`);
  };
  into('  proxmox_cluster     =', patch.cluster);
  into('  schematic_path =', patch.image);
  into('  cluster_name =', patch.proxmox);
  into('    vm_id         = 142', patch.worker);
  const whole = `${text}\n${patch.rest ?? ''}\n`;
  return loadTfvars({
    files: [{ path: 'terraform.tfvars', name: 'terraform.tfvars', text: whole }],
    readText: (path) => files[path],
  });
}

export function config(patch: Patch = {}): Config {
  const { config: loaded, diagnostics } = load(patch);
  const errors = diagnostics.filter((each) => each.severity === 'error');
  if (!loaded || errors.length > 0) throw new Error(errors.map(({ message }) => message).join('\n'));
  return loaded;
}

export const worker = (from: Config) => from.nodes.find((node) => node.role === 'worker');
export const csi = (from: Config) =>
  from.volumes.find((volume): volume is CsiVolume => volume.type === 'proxmox-csi');
export const CSI = (lines = '') =>
  `volumes = {\n  foo = {\n    node = "pve1"\n    size = "100M"\n${lines}\n  }\n}`;
export const DISK = (lines = '') =>
  `volumes = {\n  foo = {\n    type = "disk"\n    size = "50G"\n${lines}\n  }\n}`;
