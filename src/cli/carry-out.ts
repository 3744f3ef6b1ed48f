/** Carries a plan out before people's eyes: progress while it runs, a report at its end. */
import type { RunEvent } from '../model/events.js';
import type { ApplyOptions } from '../session/execute/apply-plan.js';
import type { PreparedPlan } from '../session/plan/index.js';
import type { Session } from '../session/session.js';
import { type CliContext, EXIT, type ExitCode } from './context.js';
import { exitWhenDone } from './verdict.js';
import { type ProgressView, progressView } from './views/progress.js';
import { tellRemovedApi } from './views/removed-api.js';
import { printReport } from './views/report.js';

/** `command` resumes a run that stops. The exit code tells a run that compared everything from one that did not. */
export async function carryOut(
  context: CliContext,
  session: Session,
  prepared: PreparedPlan,
  { command, confirm }: { readonly command: string } & Pick<ApplyOptions, 'confirm'>,
): Promise<ExitCode> {
  let view: ProgressView | undefined;
  const onEvent = (event: RunEvent): void => {
    view ??= progressView(context, prepared.plan, session.clock);
    view.emit(event);
  };
  try {
    const report = await session.apply(prepared, {
      command,
      onEvent,
      onRemovedApi: (finding) => tellRemovedApi(context, finding),
      ...(confirm && { confirm }),
    }).result;
    view?.close();
    if (report.outcome === 'declined') return EXIT.failed;
    printReport(context, prepared.plan, report, { goOn: command, away: report.away });
    // Said last and by itself: whoever reads the end of the output must not miss it.
    if (report.error !== undefined) throw report.error;
    const done = exitWhenDone(prepared.plan);
    return { done, failed: EXIT.failed, interrupted: EXIT.interrupted }[report.outcome];
  } finally {
    view?.close();
  }
}
