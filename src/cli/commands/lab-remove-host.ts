import { removeLabHost } from '../../session/lab/edit-lab.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { labFolder, tellDone } from '../lab-folder.js';

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [name = ''] = input.args;
  await removeLabHost(labFolder(context, input), name);
  return tellDone(context, `host ${name} is no longer part of the lab`);
}
