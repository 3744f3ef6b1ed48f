/** Options of a backup that not everybody may set (PVE/API2/VZDump.pm, assert_param_permission). */
import { type Call, PveError } from '../api.js';

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
