/** A snapshot of a lab, restored into an empty one. */
import { dumpObjects, loadObjects } from '../../kubernetes/storage/object-dump.js';
import { memoryStore } from '../../store.js';
import { readSnapshot } from './etcd-snapshot.js';

/** How many objects the restored cluster lists. */
export function restoredObjects(bytes: Buffer): number {
  const { kubernetes } = readSnapshot(bytes);
  const store = memoryStore();
  loadObjects(store, 'drill', kubernetes);
  return Object.values(dumpObjects(store, 'drill').objects).reduce((sum, list) => sum + list.length, 0);
}
