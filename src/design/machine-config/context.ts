/** What every document of a machine config is made from. */

import type { Config, NodeConfig } from '../../config/config.js';
import { OxherdError } from '../../model/error.js';
import type { TalosSecrets } from '../../secrets/talos-secrets.js';
import type { Design, DriveDesign, NodeDesign } from '../design.js';

/** Versions of the parts of Kubernetes that a machine runs: they differ while Kubernetes is being upgraded. */
export interface ComponentVersions {
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly scheduler: string;
  readonly proxy: string;
  readonly kubelet: string;
}

export interface MachineConfigOptions {
  /** All at the config's version where nothing else is said. */
  readonly components?: ComponentVersions;
  /** Without them placeholders stand in their place: plans and hashes need no secrets. */
  readonly secrets?: TalosSecrets;
  /** Passphrases of `static` disk keys, by where the config says they are (`env:NAME`, `file:…`, `sops:…`). */
  readonly passphrases?: Readonly<Record<string, string>>;
  /** Manifests that Talos brings in at bootstrap; control planes only. */
  readonly inlineManifests?: readonly { readonly name: string; readonly contents: string }[];
  /** Host that a node really is on, where it is not the intended one: the zone label follows it. */
  readonly hosts?: Readonly<Record<string, string>>;
}

export interface NodeContext {
  readonly config: Config;
  readonly design: Design;
  readonly options: MachineConfigOptions;
  readonly node: NodeConfig;
  readonly nodeDesign: NodeDesign;
}

export function nodeContext(
  config: Config,
  design: Design,
  name: string,
  options: MachineConfigOptions,
): NodeContext {
  const node = config.nodes.find((candidate) => candidate.name === name);
  const nodeDesign = design.nodes.find((candidate) => candidate.name === name);
  if (!node || !nodeDesign) {
    throw new OxherdError('design.no-node', `there is no node ${name}`, {
      advice: `The config names ${config.nodes.map((each) => each.name).join(', ')}.`,
    });
  }
  return { config, design, options, node, nodeDesign };
}

export function drive(
  nodeDesign: NodeDesign,
  kind: DriveDesign['kind'],
  name?: string,
): DriveDesign | undefined {
  return nodeDesign.drives.find((each) => each.kind === kind && (name === undefined || each.name === name));
}

/** The disk that Talos runs from. */
export function systemDrive(nodeDesign: NodeDesign): DriveDesign {
  const found = drive(nodeDesign, 'os') ?? drive(nodeDesign, 'system');
  if (found) return found;
  throw new OxherdError('design.no-drive', `${nodeDesign.name} has no disk for Talos`, {
    where: nodeDesign.name,
  });
}
