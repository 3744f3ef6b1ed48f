/** The privileges and built-in roles of Proxmox VE 9.2 (pve-access-control); recording `access-roles-users`. */

interface PrivilegeGroup {
  /** Held by `Administrator` alone. */
  readonly root: readonly string[];
  readonly admin: readonly string[];
  readonly user: readonly string[];
  readonly audit: readonly string[];
}

const words = (text: string) => text.split(' ').filter((word) => word !== '');

const GROUPS: Readonly<Record<string, PrivilegeGroup>> = {
  VM: {
    root: [],
    admin: words(
      'VM.Config.Disk VM.Config.CPU VM.Config.Memory VM.Config.Network VM.Config.HWType VM.Config.Options VM.Allocate VM.Clone VM.GuestAgent.Unrestricted VM.Migrate VM.Replicate VM.Snapshot VM.Snapshot.Rollback',
    ),
    user: words(
      'VM.Config.CDROM VM.Config.Cloudinit VM.Console VM.Backup VM.GuestAgent.FileRead VM.GuestAgent.FileSystemMgmt VM.GuestAgent.FileWrite VM.PowerMgmt',
    ),
    audit: words('VM.Audit VM.GuestAgent.Audit'),
  },
  Sys: {
    root: words('Sys.PowerMgmt Sys.Modify Sys.Incoming Sys.AccessNetwork'),
    admin: words('Sys.Console Sys.Syslog'),
    user: [],
    audit: words('Sys.Audit'),
  },
  Datastore: {
    root: [],
    admin: words('Datastore.Allocate Datastore.AllocateTemplate'),
    user: words('Datastore.AllocateSpace'),
    audit: words('Datastore.Audit'),
  },
  SDN: {
    root: [],
    admin: words('SDN.Allocate SDN.Audit'),
    user: words('SDN.Use'),
    audit: words('SDN.Audit'),
  },
  User: {
    root: words('Realm.Allocate'),
    admin: words('User.Modify Group.Allocate Realm.AllocateUser'),
    user: [],
    audit: [],
  },
  Pool: {
    root: [],
    admin: words('Pool.Allocate'),
    user: words('Pool.Audit'),
    audit: words('Pool.Audit'),
  },
  Mapping: {
    root: [],
    admin: words('Mapping.Modify'),
    user: words('Mapping.Use'),
    audit: words('Mapping.Audit'),
  },
};

const ALL = new Set<string>(['Permissions.Modify']);
for (const group of Object.values(GROUPS)) {
  for (const privilege of [...group.root, ...group.admin, ...group.user, ...group.audit]) ALL.add(privilege);
}

export const ALL_PRIVILEGES: ReadonlySet<string> = ALL;

export function isPrivilege(name: string): boolean {
  return ALL.has(name);
}

function builtinRoles(): Map<string, Set<string>> {
  const roles = new Map<string, Set<string>>([
    ['NoAccess', new Set()],
    ['Administrator', ALL],
    ['PVETemplateUser', new Set(['VM.Clone', 'VM.Audit'])],
  ]);
  const give = (role: string, privileges: readonly string[]) => {
    const held = roles.get(role) ?? new Set();
    for (const privilege of privileges) held.add(privilege);
    roles.set(role, held);
  };
  for (const [category, group] of Object.entries(GROUPS)) {
    const administrators = [...group.admin, ...group.user, ...group.audit];
    give(`PVE${category}Admin`, administrators);
    give(
      'PVEAdmin',
      administrators.filter((privilege) => privilege !== 'Mapping.Modify'),
    );
    if (group.user.length > 0) give(`PVE${category}User`, [...group.user, ...group.audit]);
    give('PVEAuditor', group.audit);
  }
  return roles;
}

/** Roles that exist in every cluster and cannot be changed. */
export const BUILTIN_ROLES: ReadonlyMap<string, ReadonlySet<string>> = builtinRoles();
