import { removeHost } from '../../lab/edit-world.js';
import { editLab } from '../../session/lab/edit-lab.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';

export function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const [name = ''] = input.args;
  return editLab(context, input, (db) => {
    removeHost(db, name);
    return `host ${name} is no longer part of the lab`;
  });
}
