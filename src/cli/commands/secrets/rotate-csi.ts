/** A new token for the CSI driver; the old one ends at once. */
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, ExitCode } from '../../context.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'rotate-csi',
  summary: 'give the CSI driver a new Proxmox token; the old one ends at once',
  json: 'the events of the run, one per line',
  examples: [{ command: 'oxherd secrets rotate-csi', does: "replaces the token in the cluster's secret" }],
};

export async function run(context: CliContext): Promise<ExitCode> {
  return withSession(context, async (session) =>
    carryOut(context, session, await session.plan({ kind: 'rotate-csi-token' }), {
      command: 'oxherd secrets rotate-csi',
    }),
  );
}
