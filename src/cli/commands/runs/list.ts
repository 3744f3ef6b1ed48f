import type { OxherdError } from '../../../model/error.js';
import { readJournals } from '../../../session/journal/journal.js';
import { summarise } from '../../../session/journal/run-summary.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, EXIT, type ExitCode } from '../../context.js';
import { runsText, tellProblem } from '../../views/runs.js';

export const command: CommandSpec = {
  name: 'list',
  summary: 'every run: when, what, outcome, how long',
  json: 'a list of runs: id, command, times, outcome',
  examples: [{ command: 'oxherd runs list --json', does: 'as JSON' }],
};

export async function run(context: CliContext): Promise<ExitCode> {
  const problems: OxherdError[] = [];
  const runs = readJournals(context.cwd, context.globals.lab, (problem) => problems.push(problem)).map(
    summarise,
  );
  problems.forEach(tellProblem(context));
  if (context.globals.json) context.stdout.write(`${JSON.stringify(runs, null, 2)}\n`);
  else if (runs.length === 0)
    context.stdout.write(problems.length === 0 ? 'No runs yet.\n' : 'No run can be read.\n');
  else context.stdout.write(`${runsText(runs, context.globals.color)}\n`);
  return EXIT.done;
}
