/** Forgets everything about the lab in a folder. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { takeLock } from '../../lab/lock.js';
import { forgetState, isLabFolder } from '../../lab/state.js';
import { OxherdError } from '../../model/error.js';
import { confirm } from '../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const folder = resolve(context.cwd, String(input.options.state ?? '.oxherd/lab'));
  if (!existsSync(folder)) {
    report(context, folder, 'there was no lab');
    return EXIT.done;
  }
  if (!isLabFolder(folder)) {
    throw new OxherdError('lab.not-a-lab', `${folder} holds no lab`, {
      where: folder,
      advice: 'nothing was deleted; name the folder that `lab serve --state` was given',
    });
  }
  if (input.options.yes !== true) {
    const agreed = await confirm(
      context,
      `Forget the lab in ${folder}?`,
      'add --yes to reset without being asked',
    );
    if (!agreed) return EXIT.failed;
  }
  const lock = await takeLock(folder);
  const left = forgetState(folder);
  lock.release();
  report(context, folder, left.length === 0 ? 'forgotten' : `forgotten; left in place: ${left.join(', ')}`);
  return EXIT.done;
}

function report(context: CliContext, folder: string, what: string): void {
  if (context.globals.json) context.stdout.write(`${JSON.stringify({ folder, what })}\n`);
  else context.stdout.write(`${folder}: ${what}\n`);
}
