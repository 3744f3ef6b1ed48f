import { join, resolve } from 'node:path';
import { snapshotName } from '../../formats/etcd-snapshot.js';
import { clientFilesFolder } from '../../secrets/locate.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { keepSnapshots, takeSnapshot } from '../etcd-snapshots.js';
import { filesOf, requireSecrets } from '../secrets-files.js';
import { withSite } from '../site.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async (site) => {
    if (!site.machines.secrets) await requireSecrets(context);
    const now = site.clock.now();
    const folder = clientFilesFolder(filesOf(context), site.config.cluster);
    const path =
      typeof options.out === 'string' ? resolve(context.cwd, options.out) : join(folder, snapshotName(now));
    const controlPlanes = site.config.nodes.filter((node) => node.role === 'controlplane');
    const taken = await takeSnapshot({ talos: site.machines.talos, controlPlanes }, path, now);
    if (typeof options.out !== 'string') await keepSnapshots(folder, site.config.policy.keep.snapshots);
    const { size, sha256, node } = taken;
    context.stdout.write(
      context.globals.json
        ? `${JSON.stringify({ ...taken, takenAt: new Date(now).toISOString() })}\n`
        : `wrote ${path}\n  from    ${node}\n  size    ${size} bytes\n  sha256  ${sha256}\n`,
    );
    return EXIT.done;
  });
}
