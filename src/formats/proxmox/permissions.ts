/** Rights as `GET /access/permissions` lists them: path → privilege → whether it reaches the paths below. */
export type Permissions = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** Paths that the list always considers (PVE/RPCEnvironment.pm, get_effective_permissions): missing means no privilege. */
const ALWAYS_LISTED: ReadonlySet<string> = new Set([
  '/',
  '/access',
  '/access/groups',
  '/nodes',
  '/pool',
  '/sdn',
  '/storage',
  '/vms',
]);

/**
 * Privileges on a path, as far as the list shows them: those of the path itself, else those of the nearest path above
 * that reach down. An entry further down replaces what comes from above. The list leaves out a path that has an entry
 * without privileges (`NoAccess`), so a privilege in the answer may still be missing.
 */
export function heldOn(permissions: Permissions, path: string): ReadonlySet<string> {
  const exact = permissions[path];
  if (exact || ALWAYS_LISTED.has(path)) return new Set(Object.keys(exact ?? {}));
  for (let above = parent(path); above !== undefined; above = parent(above)) {
    const entry = permissions[above];
    if (entry || ALWAYS_LISTED.has(above)) return new Set(reachingDown(entry));
  }
  return new Set();
}

/** Whether a privilege is held on every path below this one, as far as the list shows. */
export function heldBelow(permissions: Permissions, path: string, privilege: string): boolean {
  const below = Object.keys(permissions).filter((one) => one.startsWith(`${path}/`));
  return (
    reachingDown(permissions[path]).includes(privilege) &&
    below.every((one) => heldOn(permissions, one).has(privilege))
  );
}

function reachingDown(entry: Permissions[string] = {}): string[] {
  return Object.keys(entry).filter((privilege) => entry[privilege]);
}

function parent(path: string): string | undefined {
  if (path === '/') return undefined;
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
