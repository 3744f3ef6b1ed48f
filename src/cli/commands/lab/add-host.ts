import { addLabHost } from '../../../session/lab/edit-lab.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { labFolder, tellDone } from '../../lab-folder.js';

export const command: CommandSpec = {
  name: 'add-host',
  summary: 'add a Proxmox host to a lab that does not serve',
  args: [{ name: '<name>', description: 'such as pve4' }],
  options: [{ flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' }],
  json: '`{ done }`',
  examples: [{ command: 'oxherd lab add-host pve4', does: 'a host like the first one, without VMs' }],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [name = ''] = input.args;
  await addLabHost(labFolder(context, input), name);
  return tellDone(context, `host ${name} is part of the lab`);
}
