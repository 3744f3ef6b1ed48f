/** A restore into a simulated cluster in memory, which nothing outlives. */
import type { EtcdContents } from '../../formats/talos/etcd-contents.js';
import { OxherdError } from '../../model/error.js';

interface LabDrill {
  /** `undefined`: the snapshot is of a real cluster, whose objects the lab cannot run. */
  readonly objects?: number;
  readonly message: string;
}

/** The bucket from which the lab restores. */
const LAB_BUCKET = 'lab';

export async function drillOnLab(bytes: Buffer, { buckets, keys }: EtcdContents): Promise<LabDrill> {
  if (!buckets.includes(LAB_BUCKET)) {
    return { message: 'its database was replayed; objects of a real cluster are not run on the lab' };
  }
  const { restoredObjects } = await import('../../lab/talos/etcd/etcd-drill.js');
  const objects = restoredObjects(bytes);
  if (objects !== keys.size) {
    throw new OxherdError(
      'etcd.drill',
      `the snapshot holds ${keys.size} keys, and a cluster that started from it has ${objects} objects`,
      { advice: 'take another one: oxherd etcd backup' },
    );
  }
  return { objects, message: `a simulated cluster started from it and has all ${objects} objects` };
}
