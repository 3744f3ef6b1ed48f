/**
 * A snapshot of the lab's etcd: what its members agreed on and the objects of Kubernetes, as a bbolt database. It has the
 * buckets that etcd's tools read, and one of the lab's own, from which it is restored.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { snapshotProblem } from '../../../formats/talos/etcd-snapshot.js';
import type { KubeObject } from '../../kubernetes/object.js';
import { dumpObjects, type ObjectDump } from '../../kubernetes/storage/object-dump.js';
import type { Store } from '../../store.js';
import type { EtcdClusterRecord } from '../machine/machine-record.js';
import { etcdBuckets } from './etcd-buckets.js';
import { bboltDatabase, readBboltDatabase } from './etcd-database.js';

const HASH_BYTES = 32;
const BUCKET = 'lab';

interface EtcdSnapshot {
  /** Revision of etcd when it was taken. */
  readonly revision: number;
  readonly kubernetes: ObjectDump;
}

/** With its SHA-256 behind it, as etcd appends it. */
export function snapshotOf(store: Store, cluster: EtcdClusterRecord): Uint8Array {
  const state = {
    cluster: cluster.id,
    revision: cluster.revision,
    members: cluster.members,
    kubernetes: dumpObjects(store, cluster.id),
  };
  const body = bboltDatabase({
    ...etcdBuckets(cluster, state.kubernetes),
    [BUCKET]: [['state', Buffer.from(JSON.stringify(state))]],
  });
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

const object = z.custom<KubeObject>((value) => typeof value === 'object' && value !== null);
const state = z.object({
  revision: z.number(),
  kubernetes: z.object({ revision: z.number(), objects: z.record(z.string(), z.array(object)) }),
});

/** Throws with the words that Talos passes on from `etcdutl snapshot restore`, or says that it is not of a lab. */
export function readSnapshot(bytes: Buffer): EtcdSnapshot {
  const problem = snapshotProblem(bytes.subarray(0, HASH_BYTES), bytes.length);
  if (problem !== undefined)
    throw new Error(`snapshot missing hash but --skip-hash-check=false (${problem})`);
  const body = bytes.subarray(0, -HASH_BYTES);
  const expected = bytes.subarray(-HASH_BYTES);
  const got = createHash('sha256').update(body).digest();
  if (!got.equals(expected))
    throw new Error(`expected sha256 [${[...expected].join(' ')}], got [${[...got].join(' ')}]`);
  const stored = readBboltDatabase(body, BUCKET)?.get('state');
  if (!stored) throw new Error('this lab restores snapshots of a lab alone');
  return state.parse(JSON.parse(stored.toString('utf8')));
}
