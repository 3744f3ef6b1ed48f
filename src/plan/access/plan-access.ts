/** Roles, users, rights and pools. What the token may not make is printed as the commands an administrator runs. */

import type { AccessDesign } from '../../design/design.js';
import { aclKey, findAccess } from '../../observe/observed-access.js';
import { findIn, visibleEntry } from '../../observe/observed-lists.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { driftOf } from '../drift/drift-authors.js';
import { mayDo, type PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';

export function planAccess(given: PlanContext): Planned {
  return drafted(given, (context) => {
    const refused: string[] = [];
    for (const access of context.design.access) {
      const found = findAccess(context.observed.access, access);
      if (found.state === 'unread') {
        context.notes.push({
          code: 'unknown',
          message: `whether Proxmox has ${accessText(access)} could not be read: ${found.why}`,
        });
        continue;
      }
      if (isAsWanted(context, access)) continue;
      if (permitted(context, access)) addStep(context, access);
      else refused.push(pveum(access));
    }
    if (refused.length > 0) {
      context.notes.push({
        code: 'not-permitted',
        message: [
          'the API token cannot create these; run them as admin:',
          ...refused.map((line) => `    ${line}`),
        ].join('\n'),
      });
    }
  });
}

function isAsWanted({ observed }: PlanContext, access: AccessDesign): boolean {
  const { roles, acl } = observed.access;
  switch (access.kind) {
    case 'role': {
      const has = visibleEntry(roles, access.id);
      return has !== undefined && sameSet(has, access.privileges);
    }
    case 'acl':
      // A right that does not reach the paths below is another right.
      return visibleEntry(acl, aclKeyOf(access))?.propagate === access.propagate;
    default:
      return findAccess(observed.access, access).state === 'present';
  }
}

function aclKeyOf(access: Extract<AccessDesign, { kind: 'acl' }>): string {
  return aclKey({ ...access, subject: access.subject.id });
}

function accessText(access: AccessDesign): string {
  switch (access.kind) {
    case 'acl':
      return `the role ${access.role} on ${access.path} for ${access.subject.id}`;
    case 'token':
      return `the token ${access.user}!${access.id}`;
    default:
      return `the ${access.kind} ${access.id}`;
  }
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item) => b.includes(item));
}

/** Rights as the API schema states them for the call each needs. */
function permitted({ observed }: PlanContext, access: AccessDesign): boolean {
  switch (access.kind) {
    case 'role':
      return mayDo(observed, '/access', 'Sys.Modify');
    case 'user':
      return (
        mayDo(observed, '/access/groups', 'User.Modify') &&
        mayDo(observed, '/access/realm/pve', 'Realm.AllocateUser')
      );
    case 'token':
      return mayDo(observed, '/access/groups', 'User.Modify');
    case 'pool':
      // What cannot be seen would be made again and again.
      return (
        mayDo(observed, `/pool/${access.id}`, 'Pool.Allocate') &&
        mayDo(observed, `/pool/${access.id}`, 'Pool.Audit')
      );
    case 'acl':
      return mayDo(observed, access.path, 'Permissions.Modify');
  }
}

function addStep({ list, observed }: Draft, access: AccessDesign): void {
  const base = { impact: 'none' as const, reasons: ['missing'] };
  switch (access.kind) {
    case 'role': {
      const has = visibleEntry(observed.access.roles, access.id);
      list.add(access.id, {
        ...base,
        kind: 'set-role',
        ...(!has && { action: 'create' as const }),
        title: `${has ? 'change' : 'create'} role ${access.id}`,
        reasons: has ? ['its privileges differ'] : base.reasons,
        ...driftOf(has ? [['its privileges differ', 'unknown']] : []),
        role: access.id,
        privileges: access.privileges,
        exists: has !== undefined,
      });
      return;
    }
    case 'user':
      list.add(access.id, {
        ...base,
        kind: 'create-user',
        title: `create user ${access.id}`,
        user: access.id,
        comment: access.comment,
      });
      return;
    case 'pool':
      list.add(access.id, {
        ...base,
        kind: 'create-pool',
        title: `create pool ${access.id}`,
        pool: access.id,
        comment: access.comment,
      });
      return;
    case 'acl':
      // A token's rights are granted with the token: it exists only from then on.
      if (access.subject.kind === 'token' && !visibleEntry(observed.access.tokens, access.subject.id)) return;
      list.add(`${access.path} ${access.subject.id} ${access.role}`, {
        ...base,
        kind: 'set-acl',
        action: 'create',
        title: `grant ${access.role} on ${access.path} to ${access.subject.id}`,
        ...(visibleEntry(observed.access.acl, aclKeyOf(access)) && {
          reasons: [
            access.propagate ? 'it does not reach the paths below' : 'it reaches the paths below as well',
          ],
        }),
        needs: [
          list.idOf('set-role', access.role),
          list.idOf('create-user', access.subject.id),
          list.idOf('create-pool', access.path.replace(/^\/pool\//, '')),
        ],
        path: access.path,
        role: access.role,
        subject: access.subject,
        propagate: access.propagate,
      });
      return;
    case 'token':
      // Its secret is shown once and belongs into the cluster; made together with the Kubernetes secret.
      return;
  }
}

function pveum(access: AccessDesign): string {
  switch (access.kind) {
    case 'role':
      return `pveum role add ${access.id} --privs "${access.privileges.join(',')}"`;
    case 'user':
      return `pveum user add ${access.id} --comment "${access.comment}"`;
    case 'token':
      return `pveum user token add ${access.user} ${access.id} --privsep ${access.privilegeSeparation ? 1 : 0}`;
    case 'pool':
      return `pveum pool add ${access.id} --comment "${access.comment}"`;
    case 'acl':
      return `pveum acl modify ${access.path} --${access.subject.kind === 'user' ? 'users' : 'tokens'} '${access.subject.id}' --roles ${access.role} --propagate ${access.propagate ? 1 : 0}`;
  }
}

/** There now, or made by an earlier step of this plan. One that was not read counts: only the note on it is missing. */
export function hasPool({ observed, list }: PlanContext, pool: string): boolean {
  return (
    findIn(observed.access.pools, pool).state !== 'absent' ||
    list.steps.some((step) => step.kind === 'create-pool' && step.pool === pool)
  );
}

/** VMs that are there and not in their pool. New ones are created into it. */
export function planPool(given: PlanContext): Planned {
  return drafted(given, (context) => {
    const { design, observed, list } = context;
    if (design.pool === undefined || !hasPool(context, design.pool)) return;
    const found = findIn(observed.access.pools, design.pool);
    // Its note is that of the pool itself.
    if (found.state === 'unread') return;
    const members = found.state === 'present' ? found.value.vms : [];
    const missing = design.nodes
      .map((node) => node.talosVm.vmid)
      .filter((vmid) => visibleVm(observed, vmid) && !members.includes(vmid));
    if (missing.length === 0) return;
    list.add(design.pool, {
      kind: 'join-pool',
      title: `put ${missing.length === 1 ? 'VM' : 'VMs'} ${missing.join(', ')} into pool ${design.pool}`,
      reasons: ['not a member'],
      ...driftOf([['not a member', 'unknown']]),
      impact: 'none',
      needs: list.steps.filter((step) => step.kind === 'create-pool').map((step) => step.id),
      pool: design.pool,
      vmids: missing,
    });
  });
}
