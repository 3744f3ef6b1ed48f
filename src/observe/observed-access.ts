/** Users, roles, tokens, ACLs and pools of Proxmox: what the design wants of them is present, absent or unread. */
import type { AccessDesign } from '../design/design.js';
import type { Known } from './observed.js';
import { type Found, findIn, type Listed } from './observed-lists.js';

export interface ObservedAccess {
  /** Not asked if the cluster has no CSI driver: then there was none of it. */
  readonly legacy: Known<LegacyAccess>;
  /** Role → privileges. */
  readonly roles: Listed<readonly string[]>;
  readonly users: Listed<{ readonly id: string }>;
  /** `user!token` → privilege separation. */
  readonly tokens: Listed<{ readonly privilegeSeparation: boolean }>;
  /** By `aclKey`. */
  readonly acl: Listed<ObservedAcl>;
  readonly pools: Listed<{ readonly vms: readonly number[]; readonly comment: string }>;
}

interface ObservedAcl {
  readonly path: string;
  readonly role: string;
  readonly subject: string;
  readonly propagate: boolean;
}

/** Names that version 0.1.0 used, where something has them. */
export interface LegacyAccess {
  readonly user?: { readonly id: string; readonly comment: string; readonly tokens: readonly string[] };
  readonly roles: readonly string[];
  readonly pool?: {
    readonly id: string;
    readonly comment: string;
    readonly vms: readonly number[];
    readonly storages: readonly string[];
  };
}

export function aclKey({ path, subject, role }: Omit<ObservedAcl, 'propagate'>): string {
  return `${path} ${subject} ${role}`;
}

/** Whether Proxmox has an object of that name; whether it is as the design wants it is for the caller to compare. */
export function findAccess(access: ObservedAccess, wanted: AccessDesign): Found<unknown> {
  switch (wanted.kind) {
    case 'role':
      return findIn(access.roles, wanted.id);
    case 'user':
      return findIn(access.users, wanted.id);
    case 'token':
      return findIn(access.tokens, `${wanted.user}!${wanted.id}`);
    case 'pool':
      return findIn(access.pools, wanted.id);
    case 'acl':
      return findIn(access.acl, aclKey({ ...wanted, subject: wanted.subject.id }));
  }
}
