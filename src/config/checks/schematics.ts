import { SchematicError, schematicFrom } from '../../formats/talos/schematic-reader.js';
import type { Fragment } from '../config-values.js';
import { formatPath } from '../yaml/position.js';
import { type Check, originOf } from './check.js';

/** The Image Factory refuses a schematic with a key or a value that it does not know. */
export const schematics: Check = {
  needs: [],
  run(input) {
    const { config, report } = input;
    const checked = new Set<Fragment>();
    for (const node of config.nodes) {
      const { schematic } = node;
      if (checked.has(schematic)) continue;
      checked.add(schematic);
      const path =
        schematic === config.talos.schematic
          ? ['talos', 'schematic']
          : [...originOf(input, node).path, 'schematic'];
      for (const mistake of mistakesIn(schematic)) {
        report.error({
          code: 'talos.schematic',
          path,
          message: `\`${formatPath(path)}\` is not a schematic of the Image Factory: ${mistake}`,
          hint: 'a schematic has the keys `customization`, `overlay` and `owner`; extensions are in `customization.systemExtensions.officialExtensions`',
        });
      }
    }
  },
};

function mistakesIn(schematic: Fragment): readonly string[] {
  try {
    schematicFrom(schematic);
    return [];
  } catch (error) {
    if (!(error instanceof SchematicError)) throw error;
    return error.mistakes;
  }
}
