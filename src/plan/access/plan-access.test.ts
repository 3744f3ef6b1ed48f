import { describe, expect, it } from 'vitest';
import { config, csiVolume, gib } from '../../../test/support/design/config.js';
import { emptyProxmox, everywhere } from '../../../test/support/plan/observed.js';
import type { AccessDesign } from '../../design/design.js';
import { design } from '../../design/design-cluster.js';
import { known } from '../../observe/observed.js';
import { aclKey, type ObservedAccess } from '../../observe/observed-access.js';
import { completeList, type Listed, unreadList } from '../../observe/observed-lists.js';
import { planCluster } from '../plan-cluster.js';

const DESIGN = design(
  config({
    volumes: [csiVolume('pv', { size: gib(1), host: 'pve1', storage: 'local-zfs', format: 'raw' })] as never,
  }),
);

/** As Proxmox has it once everything was made. */
const MADE: Partial<ObservedAccess> = {
  roles: listed('role', ({ id, privileges }) => [id, privileges]),
  users: listed('user', ({ id }) => [id, { id }]),
  tokens: listed('token', ({ user, id }) => [`${user}!${id}`, { privilegeSeparation: true }]),
  pools: listed('pool', ({ id }) => [id, { vms: [], comment: '' }]),
  acl: listed('acl', ({ path, role, propagate, subject: { id: subject } }) => [
    aclKey({ path, role, subject }),
    { path, role, subject, propagate },
  ]),
};

function listed<Kind extends AccessDesign['kind'], T>(
  kind: Kind,
  entry: (access: Extract<AccessDesign, { kind: Kind }>) => [string, T],
): Listed<T> {
  const isKind = (access: AccessDesign): access is Extract<AccessDesign, { kind: Kind }> =>
    access.kind === kind;
  return completeList(Object.fromEntries(DESIGN.access.filter(isKind).map(entry)));
}

const ALLOWED = everywhere([
  ...['VM.Audit', 'VM.Config.Disk', 'Datastore.Audit', 'Sys.Modify', 'User.Modify', 'Realm.AllocateUser'],
  ...['Pool.Allocate', 'Pool.Audit', 'Permissions.Modify'],
]);
const KINDS = ['set-role', 'create-user', 'create-pool', 'set-acl'];

function planned(change: Partial<ObservedAccess>) {
  const empty = emptyProxmox();
  const { steps, notes } = planCluster(DESIGN, {
    ...empty,
    permissions: known({ ...ALLOWED, '/access/groups': ALLOWED['/access'] ?? {} }),
    access: { ...empty.access, ...change },
  });
  return {
    steps: steps.filter(({ kind }) => KINDS.includes(kind)),
    unknown: notes.filter(({ code }) => code === 'unknown').map(({ message }) => message),
  };
}

describe('roles, users, pools and ACLs', () => {
  it('that a complete list does not have are created, those it has are left alone', () => {
    expect(new Set(planned({}).steps.map(({ kind }) => kind))).toEqual(new Set(KINDS));
    expect(planned(MADE)).toEqual({ steps: [], unknown: [] });
  });

  it.each(['roles', 'users', 'tokens', 'pools', 'acl'] as const)(
    'of an unread list (%s) are not created, and the plan says so',
    (name) => {
      const { steps, unknown } = planned({ ...MADE, [name]: unreadList('500') });
      expect(steps).toEqual([]);
      expect(unknown.length).toBeGreaterThan(0);
    },
  );

  it('an ACL that does not reach the paths below is another ACL', () => {
    const acl = {
      seen: (MADE.acl?.seen ?? []).map(([key, one]) => [key, { ...one, propagate: !one.propagate }] as const),
    };
    const { steps } = planned({ ...MADE, acl });
    expect(steps).toHaveLength(acl.seen.length);
    expect(steps[0]?.reasons[0]).toMatch(/paths below/);
  });
});
