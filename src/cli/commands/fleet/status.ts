import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { FLEET_OPTIONS, fleetFlags } from '../../fleet/fleet-options.js';
import { withFleet } from '../../fleet/with-fleet.js';
import { table } from '../../views/table.js';

export const command: CommandSpec = {
  name: 'status',
  summary: 'show one cluster of the fleet: conditions, and the plan that waits',
  args: [{ name: '<cluster>', description: 'the OxherdCluster' }],
  options: [...FLEET_OPTIONS],
  json: '`{ cluster, plan }`: both objects',
  exits: { 3: 'the cluster is not ready' },
  examples: [{ command: 'oxherd fleet status prod', does: 'what waits, and the command that approves it' }],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [name = ''] = args;
  const { rowOf } = await import('../../../controller/admin/fleet-rows.js');
  return withFleet(context, options, async ({ client, namespace, admin }) => {
    const cluster = await admin.findCluster(client, namespace, name);
    const plan = await admin.pendingPlan(client, cluster);
    const row = rowOf(cluster);
    const exit = row.ready ? EXIT.done : EXIT.unhealthy;
    if (context.globals.json) {
      context.stdout.write(`${JSON.stringify({ cluster, ...(plan && { plan }) })}\n`);
      return exit;
    }
    const rows = row.conditions.map(({ type, status, reason, message }) => [
      type,
      status,
      reason,
      message.split('\n')[0] ?? '',
    ]);
    context.stdout.write(`${table(['CONDITION', 'STATUS', 'REASON', 'MESSAGE'], rows)}\n`);
    if (row.planId !== undefined) {
      const summary = summaryOf(plan?.status);
      context.stdout.write(`\nPlan ${row.planId.slice(0, 12)}, impact ${row.impact ?? 'none'}:\n`);
      for (const line of summary) context.stdout.write(`  ${line}\n`);
      // After a failed run too, whose reason is that of `Ready` then.
      if (row.conditions.some(({ type, status }) => type === 'AwaitingApproval' && status === 'True'))
        context.stdout.write(
          `\nApprove it: oxherd fleet approve ${name} ${row.planId.slice(0, 12)}${fleetFlags(options)}\n`,
        );
    }
    return exit;
  });
}

function summaryOf(status: unknown): string[] {
  const { summary }: { summary?: unknown } = typeof status === 'object' && status !== null ? status : {};
  return Array.isArray(summary) ? summary.filter((line) => typeof line === 'string') : [];
}
