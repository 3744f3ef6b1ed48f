/** Earlier runs for people. */
import type { TimeAway } from '../../model/downtime.js';
import type { RunDetails, RunSummary, StepRecord } from '../../session/journal/run-summary.js';
import { type Paint, paint } from './paint.js';
import { elapsed } from './progress.js';
import { table } from './table.js';

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
    ...run.away.map((away) => `  ${awayText(away)}`),
  ].join('\n');
}

/** `work-1 was away for 1m20s`; used by the report at the end of a run as well. */
export function awayText({ node, ms, times, still }: TimeAway): string {
  const often = times > 1 ? `, ${times} times` : '';
  return still
    ? `${node} is still unavailable, for ${elapsed(ms)}${often}`
    : `${node} was unavailable for ${elapsed(ms)}${often}`;
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

function countsOf({ steps, done, failed, notStarted }: RunSummary): string {
  const parts = [`${done} of ${steps} done`];
  if (failed > 0) parts.push(`${failed} failed`);
  if (notStarted > 0) parts.push(`${notStarted} not started`);
  return parts.join(', ');
}

function shortTime(iso: string): string {
  return iso.replace('T', ' ').replace(/\.\d+Z$/, 'Z');
}
