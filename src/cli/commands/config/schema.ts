/** Prints the JSON Schema of the config, for editors. */
import { configJsonSchema } from '../../../config/reference/json-schema.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, EXIT, type ExitCode } from '../../context.js';

export const command: CommandSpec = {
  name: 'schema',
  summary: 'print the JSON Schema of oxherd.yaml, for editors',
  json: 'the schema itself, with and without the flag',
  examples: [{ command: 'oxherd schema > oxherd.schema.json', does: 'writes it to a file' }],
};

export async function run(context: CliContext): Promise<ExitCode> {
  context.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  return EXIT.done;
}
