import { PveError } from '../api.js';

/** 403 `Permission check failed (/vms/301, VM.Audit)`. */
export function denied(what?: string): PveError {
  return new PveError(
    403,
    what === undefined ? 'Permission check failed' : `Permission check failed (${what})`,
  );
}

export function privilegeDenied(path: string | undefined, privileges: readonly string[]): PveError {
  // A path that cannot be one is shown as nothing (recording `pools`, "bad id").
  return denied(`${path ?? ''}, ${privileges.join('|')}`);
}

/** Throws 403 unless all of the privileges are held, or one of them where `any` is set. */
export function requirePrivileges(
  held: { has(privilege: string): boolean },
  path: string | undefined,
  privileges: readonly string[],
  any = false,
): void {
  if (any) {
    if (!privileges.some((privilege) => held.has(privilege))) throw privilegeDenied(path, privileges);
    return;
  }
  const missing = privileges.find((privilege) => !held.has(privilege));
  if (missing !== undefined) throw privilegeDenied(path, [missing]);
}
