/** Prints the JSON Schema of the config, for editors. */
import { configJsonSchema } from '../../config/json-schema.js';
import { type CliContext, EXIT, type ExitCode } from '../context.js';

export async function run(context: CliContext): Promise<ExitCode> {
  context.stdout.write(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
  return EXIT.done;
}
