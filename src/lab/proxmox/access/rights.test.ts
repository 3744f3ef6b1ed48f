import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../store.js';
import { type AclRecord, openPveDb, type PveDb } from '../db.js';
import { ALL_PRIVILEGES, BUILTIN_ROLES } from './privileges.js';
import { Rights } from './rights.js';

function world(acls: Partial<AclRecord>[], groups: string[] = []): PveDb {
  const db = openPveDb(memoryStore());
  db.users.put('a@pve', { id: 'a@pve', enable: true, expire: 0, groups });
  for (const id of ['own', 'sep']) {
    db.tokens.put(`a@pve!${id}`, { user: 'a@pve', id, secret: '', privsep: id === 'sep', expire: 0 });
  }
  for (const [index, acl] of acls.entries()) {
    db.acls.put(String(index), {
      path: '/',
      type: 'user',
      ugid: 'a@pve',
      roleid: 'PVEAuditor',
      propagate: true,
      ...acl,
    });
  }
  return db;
}

const held = (db: PveDb, id: string, path: string) => [...new Rights(db).privileges(id, path).keys()].sort();

describe('rights', () => {
  it('go down the path where they propagate, and only there', () => {
    const db = world([{ path: '/vms', roleid: 'PVETemplateUser' }]);
    expect(held(db, 'a@pve', '/vms/100')).toEqual(['VM.Audit', 'VM.Clone']);
    expect(held(db, 'a@pve', '/')).toEqual([]);
    const flat = world([{ path: '/vms', roleid: 'PVETemplateUser', propagate: false }]);
    expect(held(flat, 'a@pve', '/vms')).toEqual(['VM.Audit', 'VM.Clone']);
    expect(held(flat, 'a@pve', '/vms/100')).toEqual([]);
  });

  it('are replaced by what a deeper path says', () => {
    const db = world([{ roleid: 'Administrator' }, { path: '/vms/100', roleid: 'PVETemplateUser' }]);
    expect(held(db, 'a@pve', '/vms/100')).toEqual(['VM.Audit', 'VM.Clone']);
    expect(held(db, 'a@pve', '/vms/101')).toHaveLength(ALL_PRIVILEGES.size);
  });

  it('of the user come before those of his groups, and NoAccess before all', () => {
    const group = { type: 'group', ugid: 'g', roleid: 'Administrator' } as const;
    expect(held(world([group], ['g']), 'a@pve', '/')).toHaveLength(ALL_PRIVILEGES.size);
    expect(held(world([group, { roleid: 'PVETemplateUser' }], ['g']), 'a@pve', '/')).toEqual([
      'VM.Audit',
      'VM.Clone',
    ]);
    expect(held(world([{ roleid: 'Administrator' }, { roleid: 'NoAccess' }]), 'a@pve', '/')).toEqual([]);
  });

  it('on a pool are rights on its members', () => {
    const db = world([{ path: '/pool/p', roleid: 'PVETemplateUser' }]);
    db.pools.put('p', { id: 'p', vms: [100], storages: ['tank'] });
    expect(held(db, 'a@pve', '/vms/100')).toEqual(['VM.Audit', 'VM.Clone']);
    expect(held(db, 'a@pve', '/storage/tank')).toEqual(['VM.Audit', 'VM.Clone']);
    expect(held(db, 'a@pve', '/vms/101')).toEqual([]);
  });

  it('of root@pam are all, of his token those it was given', () => {
    const db = world([]);
    db.tokens.put('root@pam!sep', { user: 'root@pam', id: 'sep', secret: '', privsep: true, expire: 0 });
    db.tokens.put('root@pam!own', { user: 'root@pam', id: 'own', secret: '', privsep: false, expire: 0 });
    expect(held(db, 'root@pam', '/')).toHaveLength(ALL_PRIVILEGES.size);
    expect(held(db, 'root@pam!own', '/')).toHaveLength(ALL_PRIVILEGES.size);
    expect(held(db, 'root@pam!sep', '/')).toEqual([]);
  });

  it('of a token are never more than its user’s, and the same without privilege separation', () => {
    const path = fc.constantFrom('/', '/vms', '/vms/100', '/storage', '/storage/tank', '/pool/p');
    const acl = fc.record({
      path,
      type: fc.constantFrom<AclRecord['type']>('user', 'group', 'token'),
      roleid: fc.constantFrom(...BUILTIN_ROLES.keys()),
      propagate: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(acl, { maxLength: 8 }), path, (acls, asked) => {
        const names = { user: 'a@pve', group: 'g', token: 'a@pve!sep' };
        const db = world(
          acls.map((one) => ({ ...one, ugid: names[one.type] })),
          ['g'],
        );
        db.pools.put('p', { id: 'p', vms: [100], storages: ['tank'] });
        const user = held(db, 'a@pve', asked);
        expect(held(db, 'a@pve!own', asked)).toEqual(user);
        for (const privilege of held(db, 'a@pve!sep', asked)) expect(user).toContain(privilege);
      }),
    );
  });
});
