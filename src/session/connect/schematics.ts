import type { Schematics } from '../../apply/support/context.js';
import { type FactoryClient, FactoryError } from '../../clients/factory/factory-client.js';
import type { Config } from '../../config/config.js';
import { printSchematic, type Schematic } from '../../formats/talos/schematic.js';
import { schematicFrom, schematicIdOf } from '../../formats/talos/schematic-reader.js';
import { OxherdError } from '../../model/error.js';
import { formatVersion } from '../../model/version.js';

/** The schematics that a config names, each sent to the factory at most once. */
export function schematicsOf(config: Config, factory: FactoryClient): Schematics {
  const sent = new Map<string, Promise<void>>();
  async function send(id: string): Promise<void> {
    const fragment = [config.talos.schematic, ...config.nodes.map((node) => node.schematic)].find(
      (candidate) => schematicIdOf(candidate) === id,
    );
    if (!fragment) return;
    const schematic = schematicFrom(fragment);
    await factory.ensure(printSchematic(schematic), id);
    await checkExtensions(factory, schematic, versionsWith(config, id));
  }
  return {
    register(id) {
      const sending = sent.get(id) ?? send(id);
      sent.set(id, sending);
      return sending;
    },
  };
}

function versionsWith({ nodes }: Config, id: string): string[] {
  return [
    ...new Set(
      nodes
        .filter(({ schematic }) => schematicIdOf(schematic) === id)
        .map(({ talosVersion }) => formatVersion(talosVersion)),
    ),
  ];
}

/** The factory takes a schematic with any extension and then has no image of it: a 404 that says nothing. */
async function checkExtensions(
  factory: FactoryClient,
  { customization }: Schematic,
  versions: readonly string[],
): Promise<void> {
  for (const version of versions) {
    const missing = await missingFrom(factory, version, customization.officialExtensions);
    if (missing.length === 0) continue;
    throw new OxherdError('factory.no-extension', `Talos ${version} has no extension ${missing.join(', ')}`, {
      advice: 'correct its name in the schematic (siderolabs/…), or take it out',
    });
  }
}

/** A private factory may have no list; then the download tells. */
async function missingFrom(
  factory: FactoryClient,
  version: string,
  wanted: readonly string[],
): Promise<readonly string[]> {
  try {
    return await factory.missingExtensions(version, wanted);
  } catch (error) {
    if (error instanceof FactoryError) return [];
    throw error;
  }
}
