import { addStorage } from '../../lab/edit-world.js';
import { editLab } from '../../session/lab/edit-lab.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';

export function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [id = ''] = input.args;
  const { type, content, shared } = input.options;
  return editLab(context, input, (db) => {
    addStorage(db, {
      id,
      type: String(type ?? 'dir'),
      ...(content === undefined ? {} : { content: String(content).split(',') }),
      shared: shared === true,
    });
    return `storage ${id} is part of the lab`;
  });
}
