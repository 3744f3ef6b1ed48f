import { removeLabHost } from '../../../session/lab/edit-lab.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { labFolder, tellDone } from '../../lab-folder.js';

export const command: CommandSpec = {
  name: 'remove-host',
  summary: 'take a Proxmox host without VMs out of a lab that does not serve',
  args: [{ name: '<name>', description: 'such as pve4' }],
  options: [{ flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' }],
  json: '`{ done }`',
  examples: [{ command: 'oxherd lab remove-host pve4', does: 'as pvecm delnode' }],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [name = ''] = input.args;
  await removeLabHost(labFolder(context, input), name);
  return tellDone(context, `host ${name} is no longer part of the lab`);
}
