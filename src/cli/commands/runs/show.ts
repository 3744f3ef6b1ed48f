import { OxherdError } from '../../../model/error.js';
import { readJournals } from '../../../session/journal/journal.js';
import { storyOf } from '../../../session/journal/run-story.js';
import { describeRun } from '../../../session/journal/run-summary.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { withUserFlags } from '../../own-commands.js';
import { runText, storyText, tellProblem } from '../../views/runs.js';

export const command: CommandSpec = {
  name: 'show',
  summary: 'the steps of a run, and the downtime of each node',
  args: [{ name: '[id]', description: 'as `runs list` shows it; the last run otherwise' }],
  options: [
    {
      flags: '--explain',
      description: 'as a story: when each step started, what it waited for, what it said',
    },
  ],
  json: 'one run with its steps and the downtime of nodes; with --explain its story',
  examples: [
    { command: 'oxherd runs show', does: 'the last run' },
    { command: 'oxherd runs show --explain', does: 'what waited for what, and why it stopped' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [id] = args;
  const journals = readJournals(context.cwd, context.globals.lab, tellProblem(context));
  const journal = id === undefined ? journals[0] : journals.find(({ head }) => head.runId === id);
  if (!journal) {
    throw new OxherdError(
      'runs.unknown',
      id === undefined ? 'there are no runs yet' : `there is no run ${id}`,
      {
        advice: 'runs are kept below .oxherd of the folder they were started in; see `oxherd runs list`',
      },
    );
  }
  const details = describeRun(journal);
  if (options.explain === true) {
    const story = storyOf(journal);
    const { json, color, lab } = context.globals;
    const { recordedTitles } = await import('../../../session/rehearse/recording.js');
    const planned = await recordedTitles(context.cwd, lab, details.runId);
    // A later run of the cluster has continued it, or was told something else.
    const isLast =
      journals.find(({ head }) => head.cluster === details.cluster && head.lab === details.lab) === journal;
    const resume = details.outcome !== 'done' && isLast ? withUserFlags(context, details.command) : undefined;
    const extras = { planned, ...(resume !== undefined && { resume }) };
    context.stdout.write(
      `${json ? JSON.stringify(story, null, 2) : storyText(details, story, color, extras)}\n`,
    );
    return EXIT.done;
  }
  if (context.globals.json) context.stdout.write(`${JSON.stringify(details, null, 2)}\n`);
  else context.stdout.write(`${runText(details, context.globals.color)}\n`);
  return EXIT.done;
}
