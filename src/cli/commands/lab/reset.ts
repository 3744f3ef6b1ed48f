/** Forgets everything about the lab in a folder. */
import { findLab, resetLab } from '../../../session/lab/edit-lab.js';
import type { CommandSpec } from '../../command-spec.js';
import { confirm } from '../../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { labFolder } from '../../lab-folder.js';
import { YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'reset',
  summary: "forget the lab's state",
  options: [YES, { flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' }],
  json: '`{ folder, what }`',
  examples: [{ command: 'oxherd lab reset --yes', does: 'the next --lab command starts with a new lab' }],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const folder = labFolder(context, input);
  if (!findLab(folder)) {
    report(context, folder, 'there was no lab');
    return EXIT.done;
  }
  if (input.options.yes !== true) {
    const agreed = await confirm(
      context,
      `Forget the lab in ${folder}?`,
      'add --yes to reset without being asked',
    );
    if (!agreed) return EXIT.failed;
  }
  const left = await resetLab(folder);
  report(context, folder, left.length === 0 ? 'forgotten' : `removed; left in place: ${left.join(', ')}`);
  return EXIT.done;
}

function report(context: CliContext, folder: string, what: string): void {
  if (context.globals.json) context.stdout.write(`${JSON.stringify({ folder, what })}\n`);
  else context.stdout.write(`${folder}: ${what}\n`);
}
