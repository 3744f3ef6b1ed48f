/** How a command ends that has failed at nothing: 4 wins over 0 and 2, because it rests on less than it covers. */
import type { Plan } from '../session/plan/index.js';
import { EXIT, type ExitCode } from './context.js';

type Read = Pick<Plan, 'incomplete'>;

export function exitWhenDone({ incomplete }: Read): ExitCode {
  return incomplete.length > 0 ? EXIT.incomplete : EXIT.done;
}

/** With `--exit-code`: whether something is to be done. */
export function exitOfPlan(plan: Read, changes: boolean): ExitCode {
  const exit = exitWhenDone(plan);
  return exit === EXIT.done && changes ? EXIT.changes : exit;
}
