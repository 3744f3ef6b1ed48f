import { applyAsked } from '../apply-asked.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const role = typeof options.role === 'string' ? options.role : undefined;
  return applyAsked(context, {
    kind: 'restart',
    names: args,
    yes: options.yes === true,
    ...(role !== undefined && { role }),
  });
}
