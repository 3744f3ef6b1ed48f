/** Earlier runs for people. */
import type { TimeAway } from '../../model/downtime.js';
import { elapsed } from '../../model/duration.js';
import type { OxherdError } from '../../model/error.js';
import type { RunStory } from '../../session/journal/run-story.js';
import type { RunDetails, RunSummary, StepRecord } from '../../session/journal/run-summary.js';
import type { Rehearsal } from '../../session/rehearse/rehearsal.js';
import type { CliContext } from '../context.js';
import { type Paint, paint } from './paint.js';
import { absenceTable } from './rehearsal/text.js';
import { table } from './table.js';

/** A journal that cannot be read, beside those that can. */
export function tellProblem({ tell }: Pick<CliContext, 'tell'>): (problem: OxherdError) => void {
  return ({ message, advice }) =>
    tell({ kind: 'note', message: advice === undefined ? message : `${message}; ${advice}` });
}

export function runsText(runs: readonly RunSummary[], color: boolean): string {
  const colors = paint(color);
  return table(
    ['ID', 'STARTED', '', 'COMMAND', 'OUTCOME', 'STEPS', 'TOOK', 'NODES DOWN'],
    runs.map((run) => [
      run.runId,
      shortTime(run.startedAt),
      run.lab ? 'LAB' : '',
      run.command,
      outcomeWord(run, colors),
      countsOf(run),
      elapsed(run.ms),
      run.away.length === 0 ? '' : String(run.away.length),
    ]),
  );
}

export function runText(run: RunDetails, color: boolean): string {
  const colors = paint(color);
  const width = Math.max(0, ...run.records.map((record) => (record.node ?? '').length));
  const where = run.lab ? `${run.cluster}, LAB` : run.cluster;
  return [
    `${colors.bold(run.command)}  ${colors.dim(`${run.runId}, ${shortTime(run.startedAt)}, ${where}`)}`,
    ...run.records.map((record) => stepText(record, width, colors)),
    '',
    `${outcomeWord(run, colors)} after ${elapsed(run.ms)}: ${countsOf(run)}`,
    ...run.away.map((away) => `  ${awayText(away)}${awayPredicted(run, away.node)}`),
    ...(run.predicted ? [`predicted by its rehearsal: ${elapsed(run.predicted.ms)}`] : []),
  ].join('\n');
}

/** How the run itself went, beside its replay. */
export function replayedText(run: RunDetails, rehearsal: Rehearsal, color: boolean): string {
  const colors = paint(color);
  const { away } = rehearsal;
  const failed = run.records.filter(({ state }) => state === 'failed');
  return [
    `Run ${run.runId}: ${outcomeWord(run, colors)} after ${elapsed(run.ms)}: ${countsOf(run)}`,
    ...failed.map(({ title, error }) => `  ${colors.red('failed')}  ${title}: ${error?.message ?? ''}`),
    ...comparison(run, rehearsal),
    ...run.away.map((one) => {
      const replayed = away.find(({ node }) => node === one.node);
      return `  ${awayText(one)}${replayed ? `, ${elapsed(replayed.ms)} in the replay` : ''}`;
    }),
  ].join('\n');
}

/** What the replay says about the cause. */
function comparison(
  { outcome, records }: RunDetails,
  { valid, outcome: replayed, steps }: Rehearsal,
): string[] {
  if (!valid) return ['  Replay it with the oxherd.yaml of that run: this one makes another plan.'];
  if (outcome !== 'failed') return [];
  if (replayed === 'done')
    return ['  The replay went through: neither the plan nor the state it started from made the run fail.'];
  const failed = new Set(records.flatMap(({ state, step }) => (state === 'failed' ? [step] : [])));
  const same = steps.some(({ state, id }) => state === 'failed' && failed.has(id));
  return same ? ['  The replay failed at the same step: the cause is in the plan or in that state.'] : [];
}

function awayPredicted({ predicted }: RunSummary, node: string): string {
  const said = predicted?.away.find((one) => one.node === node);
  return said ? `, predicted ${elapsed(said.ms)}` : '';
}

/** Steps that took longer than this say what they waited for. */
const LONG_MS = 10_000;
/** So many of the last lines that a step said. */
const SAID = 2;
const INDENT = ' '.repeat(9);
const LINE = 70;

function cut(line: string): string {
  return line.length > LINE ? `${line.slice(0, LINE - 1)}…` : line;
}

interface StoryExtras {
  /** Step → title, of the whole plan. */
  readonly planned?: ReadonlyMap<string, string>;
  /** The command that continues it; absent where there is nothing to continue. */
  readonly resume?: string;
}

/** The same run as a story: when each step began, which one it waited for, and what it said on the way. */
export function storyText(
  run: RunSummary,
  story: RunStory,
  color: boolean,
  { planned = new Map(), resume }: StoryExtras = {},
): string {
  const colors = paint(color);
  const titles = new Map([...planned, ...story.acts.map(({ step, title }) => [step, title] as const)]);
  const width = Math.max(0, ...story.acts.map(({ node = '' }) => node.length));
  const acts = story.acts.flatMap(({ from, node = '', title, ms, state, after, said, error }) => {
    const took = ms === undefined ? 'not finished' : state === 'unchanged' ? 'unchanged' : elapsed(ms);
    const isLong = state === 'failed' || (ms ?? 0) > LONG_MS;
    return [
      `${elapsed(from).padStart(7)}  ${node.padEnd(width)}  ${state === 'failed' ? colors.red(title) : title}  ${colors.dim(took)}`,
      ...(after === undefined ? [] : [`${INDENT}${colors.dim(cut(`after: ${titles.get(after) ?? after}`))}`]),
      ...(isLong ? said.slice(-SAID).map((line) => `${INDENT}${colors.dim(cut(line))}`) : []),
      ...(error ? [`${INDENT}${colors.red(error.message)}`] : []),
      ...(error?.advice === undefined ? [] : [`${INDENT}${colors.dim('next')} ${error.advice}`]),
    ];
  });
  return [
    `${colors.bold(run.command)}  ${colors.dim(`${run.runId}, ${shortTime(run.startedAt)}, ${run.cluster}`)}`,
    '',
    ...acts,
    ...(story.absences.length > 0 ? ['', absenceTable(story.absences, story.ms)] : []),
    '',
    `${outcomeWord(run, colors)} after ${elapsed(run.ms)}: ${countsOf(run)}`,
    ...(run.outcome === 'unfinished' ? ['  its process was killed, or it still runs'] : []),
    ...story.notStarted.map((step) => `  not started: ${titles.get(step) ?? step}`),
    ...(resume === undefined ? [] : [`${colors.dim('next')}  resume with: ${resume}`]),
  ].join('\n');
}

/** `work-1 was unavailable for 1m20s`; used by the report at the end of a run as well. */
export function awayText({ node, ms, times, still }: TimeAway): string {
  const often = times > 1 ? `, ${times} times` : '';
  const end = still ? ', and was not back when the run ended' : '';
  return `${node} was unavailable for ${elapsed(ms)}${often}${end}`;
}

function stepText(record: StepRecord, width: number, colors: Paint): string {
  const sign = {
    done: colors.green('✓'),
    already: colors.green('✓'),
    failed: colors.red('✗'),
    unfinished: colors.yellow('?'),
  }[record.state];
  const took =
    record.state === 'already' ? 'unchanged' : record.ms === undefined ? 'not finished' : elapsed(record.ms);
  const lines = [`  ${sign} ${(record.node ?? '').padEnd(width)}  ${record.title}  ${colors.dim(took)}`];
  for (const warning of record.warnings) lines.push(`      ${colors.yellow('warning')} ${warning}`);
  if (record.error) lines.push(`      ${colors.red(record.error.message)}`);
  if (record.error?.advice !== undefined) lines.push(`      ${colors.dim('next')} ${record.error.advice}`);
  return lines.join('\n');
}

function outcomeWord({ outcome }: RunSummary, colors: Paint): string {
  if (outcome === 'done') return colors.green(outcome);
  return outcome === 'failed' ? colors.red(outcome) : colors.yellow(outcome);
}

function countsOf({ steps, done, failed, unfinished, notStarted }: RunSummary): string {
  const parts = [`${done} of ${steps} done`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (unfinished > 0) parts.push(`${unfinished} not finished`);
  if (notStarted > 0) parts.push(`${notStarted} not started`);
  return parts.join(', ');
}

function shortTime(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
