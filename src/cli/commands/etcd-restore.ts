import { relative, resolve } from 'node:path';
import { withSite } from '../../session/connect/site.js';
import { checkSnapshotFile } from '../../session/snapshots/snapshot-file.js';
import { applyPlan } from '../apply-plan.js';
import { confirmName } from '../confirm-name.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';

/** All control planes get new EPHEMERAL disks, and etcd begins on them with what the file holds. */
export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const snapshot = await checkSnapshotFile(resolve(context.cwd, args[0] ?? ''));
  return withSite(context, async (site) => {
    const { name } = site.config.cluster;
    const file = relative(context.cwd, snapshot.path) || snapshot.path;
    const command = `oxherd etcd restore ${file} --confirm ${name}`;
    const controlPlanes = site.config.nodes
      .filter((node) => node.role === 'controlplane')
      .map((node) => node.name);
    return applyPlan(context, site, {
      yes: true,
      goOn: command,
      only: controlPlanes,
      anew: { fresh: controlPlanes, restore: snapshot },
      agreed: () =>
        confirmName(context, options.confirm, {
          name,
          what: `the Kubernetes API of ${name} goes away, and everything written since the snapshot is set aside`,
          command,
        }),
    });
  });
}
