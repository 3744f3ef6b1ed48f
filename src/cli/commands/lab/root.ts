import { runAsLabRoot } from '../../../session/lab/edit-lab.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { labFolder, tellDone } from '../../lab-folder.js';

export const command: CommandSpec = {
  name: 'root',
  summary: 'run a command of root that oxherd printed, in a lab that does not serve',
  args: [
    {
      name: '<command>',
      description:
        'qm, pct, pveum, pvesm, pvesr, ha-manager, pvesh delete, pvecm delnode, mv or rm of a VM config',
    },
  ],
  options: [{ flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' }],
  json: '`{ done }`',
  examples: [
    { command: "oxherd lab root 'qm unlock 151'", does: 'removes the lock that an interrupted task left' },
    { command: "oxherd lab root 'pvecm delnode pve2'", does: 'takes a host that is down out of the cluster' },
  ],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [text = ''] = input.args;
  await runAsLabRoot(labFolder(context, input), text);
  return tellDone(context, `done: ${text}`);
}
