/** Commands for a Proxmox host's shell that grant what a token lacks. */

export interface MissingPrivileges {
  readonly path: string;
  readonly privileges: readonly string[];
}

export const ROLE = 'oxherd';

/**
 * One role, extended, and one ACL entry per path. With privilege separation a token has what it and its user both have,
 * so both are granted. `roleExists`: whether the role is there already.
 */
export function grantCommands(
  missing: readonly MissingPrivileges[],
  tokenId: string,
  roleExists = false,
): string[] {
  const privileges = [...new Set(missing.flatMap((m) => m.privileges))].sort();
  const paths = [...new Set(missing.map((m) => m.path))].sort();
  if (privileges.length === 0) return [];
  const user = tokenId.split('!')[0] ?? tokenId;
  const list = shellQuote(privileges.join(','));
  return [
    roleExists
      ? `pveum role modify ${ROLE} --append 1 --privs ${list}`
      : `pveum role add ${ROLE} --privs ${list}`,
    ...paths.map(
      (path) =>
        `pveum acl modify ${shellQuote(path)} --users ${shellQuote(user)} --tokens ${shellQuote(tokenId)} --roles ${ROLE}`,
    ),
  ];
}

function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
