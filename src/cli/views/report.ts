/** The end of a run: what was done, what failed, what was not started, and how to go on. */
import type { TimeAway } from '../../model/downtime.js';
import type { RunResult } from '../../model/events.js';
import type { Plan } from '../../session/plan/index.js';
import type { CliContext } from '../context.js';
import { withUserFlags } from '../own-commands.js';
import { incompleteLines } from './incomplete.js';
import { paint } from './paint.js';
import { awayText } from './runs.js';

interface ReportFacts {
  /** The command that goes on with what is left. */
  readonly goOn: string;
  readonly away: readonly TimeAway[];
}

export function printReport(
  context: CliContext,
  plan: Plan,
  result: RunResult,
  { goOn, away }: ReportFacts,
): void {
  if (context.globals.json) return;
  const colors = paint(context.globals.color);
  const titles = new Map(
    plan.steps.map((step) => [step.id, step.node ? `${step.node}: ${step.title}` : step.title]),
  );
  const list = (ids: readonly string[]) => ids.map((id) => `    ${titles.get(id) ?? id}\n`).join('');
  const counts = `${result.done.length} done, ${result.failed.length} failed, ${result.notStarted.length} not started`;
  const absences = away.map((one) => `  ${awayText(one)}\n`).join('');
  if (result.outcome === 'done') {
    if (plan.incomplete.length === 0) {
      context.stdout.write(`\n${colors.green('Done.')} ${counts}.\n${absences}`);
      return;
    }
    const unread = incompleteLines(plan.incomplete).join('\n');
    context.stdout.write(
      `\nThe steps of this plan are done: ${counts}.\n${absences}${colors.yellow(unread)}\n`,
    );
    return;
  }
  context.stdout.write(
    `\n${result.outcome === 'failed' ? colors.red('Failed.') : colors.yellow('Interrupted.')} ${counts}.\n${absences}`,
  );
  if (result.failed.length > 0) context.stdout.write(`  failed:\n${list(result.failed)}`);
  if (result.notStarted.length > 0) context.stdout.write(`  not started:\n${list(result.notStarted)}`);
  // The same command fails in the same way until the cause is gone, such as a flag that a component does not know.
  const first = result.failed.length > 0 ? 'solve the failure as advised above, then ' : '';
  context.stdout.write(
    `  ${colors.dim('next')}  no data was lost; ${first}resume with: ${withUserFlags(context, goOn)}\n`,
  );
}
