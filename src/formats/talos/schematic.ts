/**
 * Image Factory schematics: what an image is made of, and the id that the factory gives it.
 * The id is the SHA-256 of the canonical YAML, so it can be known without asking (image-factory
 * `pkg/schematic`; recorded in test/fixtures/formats/schematics.json).
 */

import { type GoYamlValue, printGoYaml } from '../text/go-yaml.js';
import { sha256Hex } from '../text/hash.js';

export interface Schematic {
  readonly owner: string;
  readonly overlay: {
    readonly image: string;
    readonly name: string;
    readonly options: { readonly [key: string]: GoYamlValue };
  };
  readonly customization: {
    readonly extraKernelArgs: readonly string[];
    readonly meta: readonly { readonly key: number; readonly value: string }[];
    readonly officialExtensions: readonly string[];
    /** `none` where the version's own default is meant. */
    readonly bootloader: string;
    readonly includeWellKnownCertificates: boolean;
  };
}

/** Key order of the Go structs; empty parts left out; order of lists kept. */
export function printSchematic({ owner, overlay, customization: custom }: Schematic): string {
  const options = sortedDeep(overlay.options);
  const hasOptions = Object.keys(options).length > 0;
  const hasOverlay = overlay.image !== '' || overlay.name !== '' || hasOptions;
  return printGoYaml({
    ...(owner !== '' && { owner }),
    ...(hasOverlay && {
      overlay: { image: overlay.image, name: overlay.name, ...(hasOptions && { options }) },
    }),
    customization: {
      ...(custom.extraKernelArgs.length > 0 && { extraKernelArgs: custom.extraKernelArgs }),
      ...(custom.meta.length > 0 && { meta: custom.meta }),
      ...(custom.officialExtensions.length > 0 && {
        systemExtensions: { officialExtensions: custom.officialExtensions },
      }),
      ...(custom.bootloader !== 'none' && { bootloader: custom.bootloader }),
      ...(custom.includeWellKnownCertificates && { secureboot: { includeWellKnownCertificates: true } }),
    },
  });
}

export function schematicId(schematic: Schematic): string {
  return sha256Hex(printSchematic(schematic));
}

function sortedDeep(value: { readonly [key: string]: GoYamlValue }): { readonly [key: string]: GoYamlValue } {
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sortedItem(item)]),
  );
}

function sortedItem(value: GoYamlValue): GoYamlValue {
  if (Array.isArray(value)) return value.map(sortedItem);
  if (value === null || typeof value !== 'object') return value;
  return sortedDeep(value as { readonly [key: string]: GoYamlValue });
}
