/** The cluster's VMs as an OpenTofu (or Terraform) root module for the provider bpg/proxmox. No secret is in it. */

import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import { findIn } from '../../observe/observed-lists.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { printAttributes, quoted } from './hcl-print.js';
import { tofuVariables } from './model.js';
import { MODULE_OUTPUTS_TF, MODULE_VARIABLES_TF, MODULE_VERSIONS_TF, moduleMainTf } from './module-text.js';
import type { TofuFacts, TofuSources } from './node-model.js';
import { MAIN_TF, OUTPUTS_TF } from './root-text.js';
import { VARIABLES_TF } from './root-variables.js';
import { settingsOf } from './settings.js';

export interface TofuFile {
  /** With slashes, relative to the folder that is written to. */
  readonly path: string;
  readonly text: string;
}

const HEADER = '# Written by `oxherd export tofu`. `oxherd -c terraform.tfvars` reads it again.\n\n';

/** With `observed`, VMs that are there are imported instead of made, and images that are there are used as they are. */
export function tofuFiles(config: Config, design: Design, sources: TofuSources = {}): readonly TofuFile[] {
  const { observed } = sources;
  const imports = observed ? importsText(design, observed) : '';
  return [
    { path: 'terraform.tfvars', text: HEADER + spaced(tofuVariables(config, design, sources)) },
    { path: 'variables.tf', text: VARIABLES_TF },
    { path: 'main.tf', text: MAIN_TF },
    { path: 'outputs.tf', text: OUTPUTS_TF },
    ...(imports === '' ? [] : [{ path: 'imports.tf', text: imports }]),
    { path: 'modules/talos-vm/versions.tf', text: MODULE_VERSIONS_TF },
    { path: 'modules/talos-vm/variables.tf', text: MODULE_VARIABLES_TF },
    { path: 'modules/talos-vm/main.tf', text: moduleMainTf({ adopts: observed !== undefined }) },
    { path: 'modules/talos-vm/outputs.tf', text: MODULE_OUTPUTS_TF },
    ...settingsOf(config).files,
  ];
}

/** A blank line around every variable of several lines; the single ones before them stay together. */
function spaced(variables: ReturnType<typeof tofuVariables>): string {
  const entries = Object.entries(variables);
  const isSimple = (value: unknown) =>
    value === null || (typeof value !== 'object' && !String(value).includes('\n'));
  const simple = entries.filter(([, value]) => isSimple(value));
  const others = entries.filter(([, value]) => !isSimple(value));
  return [simple, ...others.map((entry) => [entry])]
    .map((group) => printAttributes(Object.fromEntries(group)))
    .join('\n');
}

function importsText(design: Design, observed: TofuFacts): string {
  const vms = design.nodes.flatMap((node) => {
    const at = (vmid: number) => visibleVm(observed, vmid)?.host;
    const module = `module.talos_vm[${quoted(node.name)}].proxmox_virtual_environment_vm`;
    const talos = at(node.talosVm.vmid);
    const data = node.dataVm && at(node.dataVm.vmid);
    return [
      ...(talos === undefined ? [] : [importBlock(`${module}.talos`, `${talos}/${node.talosVm.vmid}`)]),
      ...(data === undefined ? [] : [importBlock(`${module}.data[0]`, `${data}/${node.dataVm?.vmid}`)]),
    ];
  });
  const { pools } = observed.access;
  const { pool } = design;
  const isThere = pool !== undefined && findIn(pools, pool).state === 'present';
  const pooled = isThere ? [importBlock('proxmox_virtual_environment_pool.talos[0]', pool)] : [];
  return [...pooled, ...vms].join('\n');
}

function importBlock(to: string, id: string): string {
  return `import {\n  to = ${to}\n  id = ${quoted(id)}\n}\n`;
}
