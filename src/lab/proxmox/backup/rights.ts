/** Options of a backup that not everybody may set (PVE/API2/VZDump.pm, assert_param_permission). */
import { type Call, PveError } from '../api.js';
import { parsePropertyString } from '../validation/check.js';

const ROOT_ONLY = ['dumpdir', 'script', 'tmpdir', 'job-id'];
const HOST_LOAD = ['bwlimit', 'ionice', 'performance'];

export function requireOptionRights(call: Call, names: readonly string[]): void {
  if (!call.who.isRoot) {
    for (const name of ROOT_ONLY) {
      if (names.includes(name)) throw PveError.parameter({ [name]: 'Only root may set this option.' });
    }
  }
  if (HOST_LOAD.some((name) => names.includes(name))) call.require('/', ['Sys.Modify']);
}

/** Fleecing images need room on their storage. */
export function requireFleecingRights(call: Call): void {
  const fleecing = call.text('fleecing');
  if (!fleecing || call.who.isRoot) return;
  const { storage } = parsePropertyString('backup-fleecing', fleecing, 'fleecing');
  if (storage) call.require(`/storage/${storage}`, ['Datastore.AllocateSpace']);
}

/** Who sets up a job decides on what is kept on its storage. */
export function requireBackupStorage(call: Call, storage: string): void {
  if (!call.who.isRoot) call.require(`/storage/${storage}`, ['Datastore.Allocate']);
}
