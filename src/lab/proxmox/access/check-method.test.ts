import { expect, it } from 'vitest';
import { memoryStore } from '../../store.js';
import { openPveDb } from '../db.js';
import { checkMethod } from './check-method.js';
import { Rights } from './rights.js';

const db = openPveDb(memoryStore());
db.users.put('ann@pve', { id: 'ann@pve', enable: true, expire: 0, groups: [] });
db.users.put('bob@pve', { id: 'bob@pve', enable: true, expire: 0, groups: [] });

const check = (permission: [string, ...unknown[]], userid: string) => () =>
  checkMethod({ check: permission }, { db, rights: new Rights(db), id: 'ann@pve', parameters: { userid } });

const SELF = ['userid-param', 'self'];
const GROUP = ['userid-group', ['User.Modify']];
const REALM = ['userid-param', 'Realm.AllocateUser'];

it('tells what the last part of an `or` lacks only where that is an `and`', () => {
  expect(check(['or', SELF, GROUP], 'bob@pve')).toThrow(/^Permission check failed$/);
  expect(check(['or', SELF, ['and', REALM, GROUP]], 'bob@pve')).toThrow(
    '/access/realm/pve, Realm.AllocateUser',
  );
});

it('says no more of a user who does not exist inside an `or`', () => {
  expect(check(['or', SELF, GROUP], 'none@pve')).toThrow(/^Permission check failed$/);
  expect(check(['userid-group', ['User.Modify']], 'none@pve')).toThrow("no such user ('none@pve')");
});

it('lets oneself pass', () => {
  expect(check(['or', SELF, GROUP], 'ann@pve')).not.toThrow();
});
