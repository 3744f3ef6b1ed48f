/** Switches a named fault of the lab, whether it serves at this moment or not. */
import { OxherdError } from '../../../model/error.js';
import { readFault, switchLabFault } from '../../../session/lab/edit-lab.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { labFolder } from '../../lab-folder.js';

export const command: CommandSpec = {
  name: 'fault',
  summary: 'switch a named fault on or off',
  args: [
    { name: '<name>', description: 'such as no-quorum, host-down=pve2, task-fails@3' },
    { name: '<state>', description: 'on or off' },
  ],
  options: [{ flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' }],
  json: '`{ fault, on }`',
  examples: [{ command: 'oxherd lab fault host-down=pve2 on', does: 'makes a Proxmox host unreachable' }],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [fault = '', word = ''] = input.args;
  readFault(fault);
  if (word !== 'on' && word !== 'off') {
    throw new OxherdError('lab.fault', `a fault is switched on or off, not ${word || 'nothing'}`, {
      advice: `oxherd lab fault ${fault} on`,
    });
  }
  const on = word === 'on';
  await switchLabFault(labFolder(context, input), fault, on);
  context.stdout.write(context.globals.json ? `${JSON.stringify({ fault, on })}\n` : `${fault} is ${word}\n`);
  return EXIT.done;
}
