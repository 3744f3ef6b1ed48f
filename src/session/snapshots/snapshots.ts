import type { Addressed, Snapshots } from '../../apply/support/context.js';
import { clientFilesFolder } from '../../secrets/locate.js';
import type { Site } from '../connect/site.js';
import { filesOf, type SessionContext } from '../context.js';
import { ensureFreshSnapshot } from './etcd-snapshots.js';
import { checkSnapshotFile, readSnapshotFile } from './snapshot-file.js';
import { snapshotOwner } from './snapshot-origin.js';

/** Older than this is every snapshot there is. */
const NEVER_OLD_ENOUGH = -1;

/** Beside kubeconfig and talosconfig of the cluster. */
export function snapshotsOf(context: SessionContext, site: Site): Snapshots {
  const { config, machines, clock } = site;
  const newest = (controlPlanes: readonly Addressed[], maxAgeSeconds: number) =>
    ensureFreshSnapshot(
      { talos: machines.talos, controlPlanes, owner: () => snapshotOwner(site) },
      {
        folder: clientFilesFolder(filesOf(context), config.cluster),
        maxAgeSeconds,
        now: clock.now(),
        keep: config.policy.keep.snapshots,
      },
    );
  return {
    async ensureFresh(controlPlanes, progress) {
      const { path, taken } = await newest(controlPlanes, config.policy.etcdSnapshotMaxAgeSeconds);
      if (taken) progress(`etcd snapshot written: ${path}`);
    },
    async take(controlPlanes, progress) {
      const { path } = await newest(controlPlanes, NEVER_OLD_ENOUGH);
      const { sha256 } = await checkSnapshotFile(path);
      progress(`etcd snapshot written and read back: ${path}, sha256 ${sha256}`);
    },
    read: (path, sha256) => readSnapshotFile({ path, sha256 }),
  };
}
