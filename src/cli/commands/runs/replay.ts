import { resolve } from 'node:path';
import { OxherdError } from '../../../model/error.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import { readJournals } from '../../../session/journal/journal.js';
import { describeRun, type RunDetails } from '../../../session/journal/run-summary.js';
import { openTwin } from '../../../session/rehearse/open-twin.js';
import { readRecording } from '../../../session/rehearse/recording.js';
import { isClean } from '../../../session/rehearse/rehearsal.js';
import { rehearseOn } from '../../../session/rehearse/rehearse.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode, Interrupted } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import { rehearsalHtml } from '../../views/rehearsal/html.js';
import { rehearsalText } from '../../views/rehearsal/text.js';
import { replayedText, tellProblem } from '../../views/runs.js';

export const command: CommandSpec = {
  name: 'replay',
  summary: 'run the plan of an earlier run again, on a twin of the state it started from; changes nothing',
  details:
    'Nothing is asked of the cluster. oxherd.yaml must be the one of that run: another one makes another plan, and the replay says so.',
  args: [{ name: '[id]', description: 'as `runs list` shows it; the last run otherwise' }],
  options: [{ flags: '--html <file>', description: 'the report as one page, with pictures and tables' }],
  json: 'one document: `{ run, rehearsal }`, what was and what came of it on the twin',
  examples: [
    { command: 'oxherd runs replay', does: 'the last run, on a twin' },
    { command: 'oxherd runs replay 8c1f02aa --html run.html', does: 'that run, as a page' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const loaded = requireConfig(context);
  const details = runOf(context, args[0], loaded.config.cluster.name);
  const { request, plan, observation } = await readRecording(context, loaded.config.cluster, details.runId);
  const opened = await openTwin(loaded, observation, { env: context.env, signal: context.signal });
  try {
    const rehearsal = await rehearseOn(opened, loaded.config, request, { plan });
    // A part of a run is no report.
    if (context.signal.aborted) throw new Interrupted();
    if (typeof options.html === 'string')
      await replacePrivateFile(resolve(context.cwd, options.html), rehearsalHtml(rehearsal));
    const { color, json } = context.globals;
    const text = json
      ? JSON.stringify({ run: details, rehearsal }, null, 2)
      : `${rehearsalText(rehearsal, color, `run ${details.runId}`)}\n\n${replayedText(details, rehearsal, color)}`;
    context.stdout.write(`${text}\n`);
    return isClean(rehearsal) ? EXIT.done : EXIT.failed;
  } finally {
    await opened.close();
  }
}

function runOf(context: CliContext, id: string | undefined, cluster: string): RunDetails {
  const own = readJournals(context.cwd, context.globals.lab, tellProblem(context)).filter(
    ({ head }) => head.cluster === cluster && head.lab === context.globals.lab,
  );
  const journal = id === undefined ? own[0] : own.find(({ head }) => head.runId === id);
  if (journal) return describeRun(journal);
  throw new OxherdError(
    'runs.unknown',
    id === undefined ? `there are no runs of ${cluster} yet` : `there is no run ${id} of ${cluster}`,
    { advice: 'runs are kept below .oxherd of the folder they were started in; see `oxherd runs list`' },
  );
}
