import { addLabStorage } from '../../../session/lab/edit-lab.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { labFolder, tellDone } from '../../lab-folder.js';

export const command: CommandSpec = {
  name: 'add-storage',
  summary: 'add a storage to a lab that does not serve',
  args: [{ name: '<id>', description: 'such as tank' }],
  options: [
    {
      flags: '--type <type>',
      description: 'dir, nfs, cifs, lvm, lvmthin, zfspool, rbd, btrfs …',
      default: 'dir',
    },
    { flags: '--content <list>', description: 'contents, separated by commas; default: those of the type' },
    { flags: '--shared', description: 'every host sees the same volumes' },
    { flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' },
  ],
  json: '`{ done }`',
  examples: [{ command: 'oxherd lab add-storage nas --type nfs', does: 'a storage that all hosts share' }],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [id = ''] = input.args;
  const { type, content, shared } = input.options;
  await addLabStorage(labFolder(context, input), {
    id,
    type: String(type ?? 'dir'),
    ...(content === undefined ? {} : { content: String(content).split(',') }),
    shared: shared === true,
  });
  return tellDone(context, `storage ${id} is part of the lab`);
}
