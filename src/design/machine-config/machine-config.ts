/** The machine config of a node: everything Talos must know, as several YAML documents. */

import type { Config } from '../../config/config.js';
import type { Role } from '../../config/config-values.js';
import type { Mapping } from '../../formats/text/mapping.js';
import type { Design } from '../design.js';
import { type MachineConfigOptions, nodeContext } from './context.js';
import { generationDocuments } from './generation.js';
import { mainDocument, type SharedParts, sharedParts } from './main-document.js';
import { comparable, documentsHash } from './meaning.js';
import { networkDocuments } from './network-documents.js';
import { applyPatches, PatchCache, type PatchNotice, patchesFor } from './patches.js';
import { volumeDocuments } from './volume-documents.js';
import { YamlWriter } from './write-yaml.js';

export interface MachineConfig {
  readonly documents: readonly Mapping[];
  /** What people should know about their patches. */
  readonly notices: readonly PatchNotice[];
  /** The text that goes to the machine. */
  text(): string;
  /** As JSON without secrets, for comparing with another one. */
  comparable(): string;
  /** The same for configs of the same meaning, with or without the cluster's secrets. */
  hash(): string;
}

/** Makes the configs of one design; what nodes share is computed once. */
export class MachineConfigWriter {
  readonly #shared = new Map<Role, SharedParts>();
  readonly #patches = new PatchCache();
  readonly #yaml = new YamlWriter();

  constructor(
    readonly config: Config,
    readonly design: Design,
    readonly options: MachineConfigOptions = {},
  ) {}

  forNode(name: string): MachineConfig {
    const context = nodeContext(this.config, this.design, name, this.options);
    const { node } = context;
    const notices: PatchNotice[] = [];
    const made = [
      mainDocument(context, this.#sharedFor(node.role)),
      ...networkDocuments(context),
      ...volumeDocuments(context),
      ...generationDocuments(this.config),
    ];
    const documents = applyPatches(made, patchesFor(this.config, node), {
      cache: this.#patches,
      node,
      notices,
    });
    return {
      documents,
      notices,
      text: () => this.#yaml.write(documents),
      comparable: () => comparable(documents),
      hash: () => documentsHash(documents),
    };
  }

  #sharedFor(role: Role): SharedParts {
    let shared = this.#shared.get(role);
    if (!shared) {
      shared = sharedParts(this.config, role, this.options);
      this.#shared.set(role, shared);
    }
    return shared;
  }
}

/** One config; for many, keep a `MachineConfigWriter`. */
export function machineConfig(
  config: Config,
  design: Design,
  node: string,
  options: MachineConfigOptions = {},
): string {
  return new MachineConfigWriter(config, design, options).forNode(node).text();
}
