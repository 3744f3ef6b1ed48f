import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { FLEET_OPTIONS } from '../../fleet/fleet-options.js';
import { withFleet } from '../../fleet/with-fleet.js';
import { table } from '../../views/table.js';

export const command: CommandSpec = {
  name: 'list',
  summary: 'list the clusters of the fleet, and what waits for a person',
  options: [...FLEET_OPTIONS, { flags: '-A, --all-namespaces', description: 'of all namespaces' }],
  json: 'a list of clusters with state, plan and conditions',
  examples: [
    { command: 'oxherd fleet list -A', does: 'all of them' },
    { command: 'oxherd fleet list --namespace team-a --json', does: 'for scripts' },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withFleet(context, options, async ({ client, namespace, admin }) => {
    const rows = await admin.listFleet(client, options.allNamespaces === true ? undefined : namespace);
    if (context.globals.json) {
      context.stdout.write(`${JSON.stringify(rows)}\n`);
      return EXIT.done;
    }
    if (rows.length === 0) context.stdout.write('no clusters\n');
    else
      context.stdout.write(
        `${table(
          ['NAMESPACE', 'CLUSTER', 'STATE', 'IN SYNC', 'HEALTHY', 'PLAN', 'IMPACT', 'STEPS', 'NEXT WINDOW'],
          rows.map((row) => [
            row.namespace,
            row.name,
            row.state,
            row.inSync,
            row.healthy,
            row.planId?.slice(0, 12) ?? '-',
            row.impact ?? '-',
            row.progress ?? String(row.steps ?? '-'),
            row.nextWindow ?? '-',
          ]),
        )}\n`,
      );
    return EXIT.done;
  });
}
