/** Pools, roles, users, tokens and rights. */

import { type ApiCall, type ApiParams, apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, asRecord, commaList, flag, optionalNumber, optionalText, text } from '../decode.js';
import type { ApiMethod } from '../gen/api.js';

interface PoolEntry {
  readonly poolid: string;
  readonly comment: string | undefined;
}

interface PoolDetail extends PoolEntry {
  readonly vmids: readonly number[];
  readonly storages: readonly string[];
}

interface RoleEntry {
  readonly roleid: string;
  readonly privileges: readonly string[];
  /** Made by Proxmox itself. */
  readonly special: boolean;
}

interface UserEntry {
  readonly userid: string;
  readonly enabled: boolean;
  readonly comment: string | undefined;
}

interface TokenEntry {
  readonly tokenid: string;
  readonly privilegeSeparation: boolean;
  readonly expire: number;
  readonly comment: string | undefined;
}

interface AclEntry {
  readonly path: string;
  readonly type: 'user' | 'group' | 'token';
  readonly ugid: string;
  readonly roleid: string;
  readonly propagate: boolean;
}

interface AclChange {
  readonly path: string;
  readonly roles: readonly string[];
  readonly users?: readonly string[];
  readonly tokens?: readonly string[];
  readonly groups?: readonly string[];
  readonly propagate?: boolean;
}

export interface AccessCalls {
  pools(): Promise<PoolEntry[]>;
  pool(poolid: string): Promise<PoolDetail>;
  /** Atomic: of two that make the same pool one gets `proxmox.exists`. */
  createPool(poolid: string, comment?: string): Promise<void>;
  updatePool(
    poolid: string,
    change: { comment?: string; vms?: readonly number[]; remove?: boolean; allowMove?: boolean },
  ): Promise<void>;
  /** Deletes the pool's own ACL entries as well. */
  deletePool(poolid: string): Promise<void>;
  roles(): Promise<RoleEntry[]>;
  createRole(roleid: string, privileges: readonly string[]): Promise<void>;
  updateRole(roleid: string, privileges: readonly string[]): Promise<void>;
  deleteRole(roleid: string): Promise<void>;
  users(): Promise<UserEntry[]>;
  createUser(userid: string, comment?: string): Promise<void>;
  deleteUser(userid: string): Promise<void>;
  tokens(userid: string): Promise<TokenEntry[]>;
  /** The secret is told this once. */
  createToken(
    userid: string,
    tokenid: string,
    options?: { comment?: string; privilegeSeparation?: boolean },
  ): Promise<{ fullTokenId: string; secret: string }>;
  deleteToken(userid: string, tokenid: string): Promise<void>;
  acls(): Promise<AclEntry[]>;
  grant(change: AclChange): Promise<void>;
  revoke(change: AclChange): Promise<void>;
}

export function accessCalls(session: ApiSession): AccessCalls {
  const call = apiCall(session);
  const done: Done = async (method, params) => {
    await call(method, params);
  };
  return {
    ...poolCalls(call, done),
    ...roleCalls(call, done),
    ...userCalls(call, done),
    ...aclCalls(call, done),
  };
}

/** For calls whose answer says nothing. */
type Done = <M extends ApiMethod>(method: M, params: ApiParams<M>) => Promise<void>;

function poolCalls(
  call: ApiCall,
  done: Done,
): Pick<AccessCalls, 'pools' | 'pool' | 'createPool' | 'updatePool' | 'deletePool'> {
  return {
    async pools() {
      return asList((await call('GET /pools', {})).data, 'pools', (record) => ({
        poolid: text(record, 'poolid'),
        comment: optionalText(record, 'comment'),
      }));
    },
    async pool(poolid) {
      // Not `/pools/{poolid}`: a pool within a pool has a slash in its name.
      const [record] = asList((await call('GET /pools', { poolid })).data, 'pool', (item) => item);
      const members = asList(record?.members, 'pool members', (member) => member);
      return {
        poolid,
        comment: record && optionalText(record, 'comment'),
        vmids: members.flatMap((member) => optionalNumber(member, 'vmid') ?? []),
        storages: members.flatMap((member) => optionalText(member, 'storage') ?? []),
      };
    },
    createPool: (poolid, comment) => done('POST /pools', { poolid, comment }),
    updatePool: (poolid, change) =>
      done('PUT /pools', {
        poolid,
        comment: change.comment,
        vms: change.vms?.join(','),
        delete: change.remove,
        'allow-move': change.allowMove,
      }),
    deletePool: (poolid) => done('DELETE /pools', { poolid }),
  };
}

function roleCalls(
  call: ApiCall,
  done: Done,
): Pick<AccessCalls, 'roles' | 'createRole' | 'updateRole' | 'deleteRole'> {
  return {
    async roles() {
      return asList((await call('GET /access/roles', {})).data, 'roles', (record) => ({
        roleid: text(record, 'roleid'),
        privileges: commaList(record, 'privs'),
        special: flag(record, 'special'),
      }));
    },
    createRole: (roleid, privileges) => done('POST /access/roles', { roleid, privs: privileges.join(',') }),
    updateRole: (roleid, privileges) =>
      done('PUT /access/roles/{roleid}', { roleid, privs: privileges.join(',') }),
    deleteRole: (roleid) => done('DELETE /access/roles/{roleid}', { roleid }),
  };
}

/** Users and their tokens. */
function userCalls(
  call: ApiCall,
  done: Done,
): Pick<AccessCalls, 'users' | 'createUser' | 'deleteUser' | 'tokens' | 'createToken' | 'deleteToken'> {
  return {
    async users() {
      return asList((await call('GET /access/users', {})).data, 'users', (record) => ({
        userid: text(record, 'userid'),
        enabled: flag(record, 'enable'),
        comment: optionalText(record, 'comment'),
      }));
    },
    createUser: (userid, comment) => done('POST /access/users', { userid, comment, enable: true }),
    deleteUser: (userid) => done('DELETE /access/users/{userid}', { userid }),
    async tokens(userid) {
      return asList(
        (await call('GET /access/users/{userid}/token', { userid })).data,
        'tokens',
        (record) => ({
          tokenid: text(record, 'tokenid'),
          privilegeSeparation: flag(record, 'privsep'),
          expire: optionalNumber(record, 'expire') ?? 0,
          comment: optionalText(record, 'comment'),
        }),
      );
    },
    async createToken(userid, tokenid, options = {}) {
      const { data } = await call('POST /access/users/{userid}/token/{tokenid}', {
        userid,
        tokenid,
        comment: options.comment,
        privsep: options.privilegeSeparation,
      });
      const record = asRecord(data, 'new token');
      return { fullTokenId: text(record, 'full-tokenid'), secret: text(record, 'value') };
    },
    deleteToken: (userid, tokenid) =>
      done('DELETE /access/users/{userid}/token/{tokenid}', { userid, tokenid }),
  };
}

function aclCalls(call: ApiCall, done: Done): Pick<AccessCalls, 'acls' | 'grant' | 'revoke'> {
  const acl = (change: AclChange, gone: boolean) =>
    done('PUT /access/acl', {
      path: change.path,
      roles: change.roles.join(','),
      users: change.users?.join(','),
      tokens: change.tokens?.join(','),
      groups: change.groups?.join(','),
      propagate: change.propagate,
      delete: gone || undefined,
    });

  return {
    async acls() {
      return asList((await call('GET /access/acl', {})).data, 'ACL', (record) => {
        const type = text(record, 'type');
        return {
          path: text(record, 'path'),
          type: type === 'group' || type === 'token' ? type : 'user',
          ugid: text(record, 'ugid'),
          roleid: text(record, 'roleid'),
          propagate: flag(record, 'propagate'),
        };
      });
    },
    grant: (change) => acl(change, false),
    revoke: (change) => acl(change, true),
  };
}
