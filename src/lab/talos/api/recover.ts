import { Code } from '@connectrpc/connect';
import { loadObjects } from '../../kubernetes/storage/object-dump.js';
import { readSnapshot } from '../etcd/etcd-snapshot.js';
import type { EtcdData } from '../machine/machine-record.js';
import { type Endpoint, fail } from './caller.js';

/** A new cluster of one with what the snapshot holds, as `etcdutl snapshot restore` makes it: same revision, other ids. */
export function recover(endpoint: Endpoint, owner: string): EtcdData {
  const { machine, received } = endpoint;
  if (!received || received.length === 0) fail(Code.FailedPrecondition, 'failed to find etcd snapshot');
  const snapshot = read(received);
  const made = machine.room.etcd.create(owner, machine.hostname, machine.ip ?? '', snapshot.revision);
  loadObjects(machine.room.core.store, made.clusterId, snapshot.kubernetes);
  delete endpoint.received;
  return made;
}

function read(received: Buffer) {
  try {
    return readSnapshot(received);
  } catch (error) {
    return fail(
      Code.Unknown,
      `error recovering etcd: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
