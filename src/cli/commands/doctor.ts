/** `oxherd doctor`: what stands between this computer and a working `apply`. */
import { type CliContext, EXIT, type ExitCode } from '../context.js';
import { printChecks } from '../views/doctor.js';
import { withSession } from '../with-session.js';

export async function run(context: CliContext): Promise<ExitCode> {
  const checks = await withSession(context, (session) => session.examine());
  printChecks(context, checks);
  return checks.some((check) => check.result === 'fail') ? EXIT.failed : EXIT.done;
}
