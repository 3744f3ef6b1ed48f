/**
 * Brings a config to what the machines have: everything that the designed machine config says differently becomes a
 * patch, of the role where its machines agree, else of the node. Done when the hashes are the same.
 */

import { stringify } from 'yaml';
import type { Config } from '../../config/config.js';
import type { ClusterFacts } from '../../config/from-cluster/facts.js';
import { loadConfig } from '../../config/load.js';
import { design } from '../../design/design-cluster.js';
import { MachineConfigWriter } from '../../design/machine-config/machine-config.js';
import { documentsHash } from '../../design/machine-config/meaning.js';
import {
  type Difference,
  inCommon,
  residual,
  residualPatches,
} from '../../design/machine-config/residual.js';
import { isMapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';

type Tree = Readonly<Record<string, unknown>>;
type ReadText = (path: string) => string | undefined;

export interface FittedConfig {
  readonly raw: Tree;
  readonly config: Config;
  /** Machines whose designed config is not the one they have, and where they differ for secrets' sake. */
  readonly different: readonly { readonly node: string; readonly secret: readonly string[] }[];
  readonly patches: number;
}

export function fitConfig(
  raw: Tree,
  { machines }: ClusterFacts,
  secrets: TalosSecrets,
  readText: ReadText,
): FittedConfig {
  const config = configOf(raw, readText);
  const writer = new MachineConfigWriter(config, design(config), { secrets });
  const found = machines.map((machine) => ({
    machine,
    ...residual(writer.forNode(machine.name).documents, machine.documents),
  }));
  let fitted = raw;
  let patches = 0;
  for (const role of ['controlplane', 'worker'] as const) {
    const members = found.filter(({ machine }) => machine.role === role);
    const { common, own } = inCommon(members.map(({ differences }) => differences));
    const shared = texts(common);
    if (shared.length > 0) fitted = withPatches(fitted, ['talos', 'patches', role], shared);
    patches += shared.length;
    for (const [i, { machine }] of members.entries()) {
      const mine = texts(own[i] ?? []);
      if (mine.length > 0) fitted = withPatches(fitted, ['nodes', machine.name, 'patches'], mine);
      patches += mine.length;
    }
  }
  const after = configOf(fitted, readText);
  const again = new MachineConfigWriter(after, design(after), { secrets });
  const different = found
    .filter(({ machine }) => again.forNode(machine.name).hash() !== documentsHash(machine.documents))
    .map(({ machine, secret }) => ({ node: machine.name, secret }));
  return { raw: fitted, config: after, different, patches };
}

function texts(differences: readonly Difference[]): readonly string[] {
  return residualPatches(differences).map(
    (text) => `# From the machine: what oxherd has no key for.\n${text}`,
  );
}

function withPatches(raw: Tree, [key = '', ...rest]: readonly string[], patches: readonly string[]): Tree {
  const inner = raw[key];
  if (rest.length === 0) return { ...raw, [key]: [...(Array.isArray(inner) ? inner : []), ...patches] };
  return { ...raw, [key]: withPatches(isMapping(inner) ? inner : {}, rest, patches) };
}

function configOf(raw: Tree, readText: ReadText): Config {
  const text = stringify(raw, { compat: 'yaml-1.1', lineWidth: 0 });
  const { config, diagnostics } = loadConfig({ path: 'oxherd.yaml', text, readText });
  if (config) return config;
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  throw new OxherdError(
    'cluster.not-expressible',
    `this cluster cannot be written as an oxherd.yaml:\n${errors.join('\n')}`,
    {
      advice: 'nothing was written; change on the running cluster what is named above, then run it again',
    },
  );
}
