import type { Call, Principal } from '../api.js';
import { requirePrivileges } from './denied.js';

/** What a principal may do, asked for path by path. */
export function rightsOf(who: Principal): Pick<Call, 'require' | 'allows'> {
  return {
    require: (path, privileges, options) =>
      requirePrivileges(who.privileges(path), path, privileges, options?.any),
    allows(path, privileges, options) {
      const held = who.privileges(path);
      return options?.any
        ? privileges.some((name) => held.has(name))
        : privileges.every((name) => held.has(name));
    },
  };
}
