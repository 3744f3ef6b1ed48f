import { applyAsked } from '../apply-asked.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return applyAsked(context, { kind: 'replace', names: args, yes: options.yes === true });
}
