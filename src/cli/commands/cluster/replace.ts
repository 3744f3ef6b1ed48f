import { applyAsked } from '../../apply-asked.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'replace',
  summary: 'give a node a new system disk; its VM, identity and data stay',
  args: [{ name: '<node...>', description: 'nodes by name', names: 'nodes' }],
  options: [YES, FULL],
  json: 'the events of the run, one per line',
  examples: [
    {
      command: 'oxherd replace work-1',
      does: 'verifies that its data is on other disks, then replaces the system disk',
    },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return applyAsked(context, { kind: 'replace', names: args, yes: options.yes === true });
}
