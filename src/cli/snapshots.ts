import type { Snapshots } from '../apply/support/context.js';
import type { Design } from '../design/design.js';
import { clientFilesFolder } from '../secrets/locate.js';
import type { CliContext } from './context.js';
import { ensureFreshSnapshot } from './etcd-snapshots.js';
import type { Site } from './site.js';
import { readSnapshotFile } from './snapshot-file.js';

/** Beside kubeconfig and talosconfig of the cluster. */
export function snapshotsOf(
  { cwd }: CliContext,
  { config, machines, clock }: Site,
  design: Design,
): Snapshots {
  return {
    async ensureFresh(progress) {
      const { path, taken } = await ensureFreshSnapshot(
        { talos: machines.talos, controlPlanes: design.nodes.filter((node) => node.role === 'controlplane') },
        {
          folder: clientFilesFolder(cwd, config.cluster),
          maxAgeSeconds: config.policy.etcdSnapshotMaxAgeSeconds,
          now: clock.now(),
          keep: config.policy.keep.snapshots,
        },
      );
      if (taken) progress(`etcd snapshot written: ${path}`);
    },
    read: (path, sha256) => readSnapshotFile({ path, sha256 }),
  };
}
