import type { Schematics } from '../apply/steps/context.js';
import type { FactoryClient } from '../clients/factory/factory-client.js';
import type { Config } from '../config/config.js';
import { printSchematic } from '../formats/schematic.js';
import { schematicFrom, schematicIdOf } from '../formats/schematic-reader.js';

/** The schematics that a config names, each sent to the factory at most once. */
export function schematicsOf(config: Config, factory: FactoryClient): Schematics {
  const sent = new Map<string, Promise<void>>();
  return {
    register(id) {
      const fragment = [config.talos.schematic, ...config.nodes.map((node) => node.schematic)].find(
        (candidate) => schematicIdOf(candidate) === id,
      );
      if (!fragment) return Promise.resolve();
      const sending = sent.get(id) ?? factory.ensure(printSchematic(schematicFrom(fragment)), id);
      sent.set(id, sending);
      return sending;
    },
  };
}
