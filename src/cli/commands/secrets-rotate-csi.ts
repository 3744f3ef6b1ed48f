/** A new token for the CSI driver; the old one ends at once. */
import { carryOut } from '../carry-out.js';
import type { CliContext, ExitCode } from '../context.js';
import { withSession } from '../with-session.js';

export async function run(context: CliContext): Promise<ExitCode> {
  return withSession(context, async (session) =>
    carryOut(context, session, await session.plan({ kind: 'rotate-csi-token' }), {
      command: 'oxherd secrets rotate-csi',
    }),
  );
}
