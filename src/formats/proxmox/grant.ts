/** Commands for a Proxmox host's shell that grant what a token lacks. */

export interface Grant {
  readonly role: string;
  readonly privileges: readonly string[];
  /** Where the rights are given; all of one kind, as the role is. */
  readonly paths: readonly string[];
}

/**
 * One role per kind of path, so that each holds no more than is needed there. Rights on a VM are given on `/vms`:
 * destroying a VM deletes the entries of its own path.
 */
export function grantsFor(
  missing: readonly { readonly path: string; readonly privilege: string }[],
): Grant[] {
  const grants = new Map<string, { privileges: Set<string>; paths: Set<string> }>();
  for (const { path, privilege } of missing) {
    const role = `oxherd-${path.split('/')[1] || 'cluster'}`;
    const grant = grants.get(role) ?? { privileges: new Set(), paths: new Set() };
    grants.set(role, grant);
    grant.privileges.add(privilege);
    grant.paths.add(path.startsWith('/vms/') ? '/vms' : path);
  }
  return [...grants].map(([role, { privileges, paths }]) => ({
    role,
    privileges: [...privileges].sort(),
    paths: [...paths].sort(),
  }));
}

/**
 * With privilege separation a token has what it and its user both have, so both are granted.
 * `roles`: those that exist, where that is known.
 */
export function grantCommands(grant: Grant, tokenId: string, roles?: readonly string[]): string[] {
  const { role } = grant;
  const user = tokenId.split('!')[0] ?? tokenId;
  const privileges = shellQuote(grant.privileges.join(','));
  const extend = `pveum role modify ${role} --append 1 --privs ${privileges}`;
  const add = `pveum role add ${role} --privs ${privileges}`;
  return [
    roles === undefined ? `${add} || ${extend}` : roles.includes(role) ? extend : add,
    ...grant.paths.map(
      (path) =>
        `pveum acl modify ${shellQuote(path)} --users ${shellQuote(user)} --tokens ${shellQuote(tokenId)} --roles ${role}`,
    ),
  ];
}

function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
