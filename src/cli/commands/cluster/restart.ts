import { applyAsked } from '../../apply-asked.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'restart',
  summary: 'stop and start nodes, one after the other',
  args: [{ name: '[node...]', description: 'nodes by name', names: 'nodes' }],
  options: [
    { flags: '--role <role>', description: 'all nodes of a role', choices: ['controlplane', 'worker'] },
    YES,
    FULL,
  ],
  json: 'the events of the run, one per line',
  examples: [
    { command: 'oxherd restart work-1', does: 'drains it, stops it, starts it, waits until it is back' },
    { command: 'oxherd restart --role worker --yes', does: 'all workers, one after the other' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const role = typeof options.role === 'string' ? options.role : undefined;
  return applyAsked(context, {
    kind: 'restart',
    names: args,
    yes: options.yes === true,
    ...(role !== undefined && { role }),
  });
}
