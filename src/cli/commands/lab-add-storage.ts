import { addLabStorage } from '../../session/lab/edit-lab.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { labFolder, tellDone } from '../lab-folder.js';

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
