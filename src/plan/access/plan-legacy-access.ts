/**
 * Away with what version 0.1.0 made under names that clusters could share, once this cluster has its own. Only what
 * certainly no one else uses goes; the rest is named, for a person to decide.
 */

import { CSI_TOKEN, isClusterTag } from '../../formats/marks/cluster-names.js';
import type { Observed } from '../../observe/observed.js';
import type { LegacyAccess } from '../../observe/observed-access.js';
import { findIn, visibleIn } from '../../observe/observed-lists.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { mayDo, type PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';

type LegacyUser = NonNullable<LegacyAccess['user']>;

export function planLegacyAccess(given: PlanContext): Planned {
  return drafted(given, (context) => {
    const { legacy } = context.observed.access;
    if (!legacy.known) return;
    if (legacy.value.user) removeUser(context, legacy.value.user, legacy.value.roles);
    removePool(context, legacy.value.pool);
  });
}

/** Its roles first: while the user is there it says whose they are. The driver has its new token, or gets it before. */
function removeUser(context: Draft, user: LegacyUser, roles: readonly string[]): void {
  const { list, observed, design } = context;
  const token = list.steps.find((step) => step.kind === 'create-csi-token');
  const secret = observed.kubernetes?.csiSecret;
  const own = design.access.find((access) => access.kind === 'token');
  const moved = secret?.known && own && secret.value?.tokenId === `${own.user}!${own.id}`;
  if (!token && !moved) return;
  const command = `pveum user delete ${user.id}`;
  const permitted =
    mayDo(observed, '/access/groups', 'User.Modify') && mayDo(observed, '/access', 'Sys.Modify');
  const why =
    otherUse(context, user) ?? (permitted ? undefined : 'the API token cannot delete users and roles');
  if (why !== undefined) {
    leave(context, `user ${user.id}`, why, command);
    return;
  }
  const subjects = [user.id, `${user.id}!${CSI_TOKEN}`];
  const before = roles.flatMap((role) => removeRole(context, role, subjects, token?.id) ?? []);
  list.add(user.id, {
    kind: 'remove-legacy-access',
    title: `remove user ${user.id} and its token`,
    reasons: ['of version 0.1.0; the CSI driver has a user of this cluster alone'],
    impact: 'live',
    needs: [token?.id, ...before],
    what: 'user',
    name: user.id,
    subjects,
  });
}

/** Why someone else may use the old user; several clusters of one env shared it. */
function otherUse({ design, observed }: PlanContext, user: LegacyUser): string | undefined {
  const { acl, legacy } = observed.access;
  if (user.comment !== `Proxmox CSI driver of ${design.cluster.name}`)
    return `its comment is not of this cluster: ${user.comment || '(none)'}`;
  const further = user.tokens.filter((token) => token !== CSI_TOKEN);
  if (further.length > 0) return `it has further tokens: ${further.join(', ')}`;
  if (acl.unlisted !== undefined) return `its rights could not be read: ${acl.unlisted}`;
  const pool = legacy.known ? legacy.value.pool : undefined;
  const own = new Set([`/pool/${design.pool}`, `/pool/${pool?.id}`]);
  const subjects = new Set([user.id, `${user.id}!${CSI_TOKEN}`]);
  const elsewhere = visibleIn(acl).find(
    ({ path, subject }) => subjects.has(subject) && path.startsWith('/pool/') && !own.has(path),
  );
  if (elsewhere) return `it has rights on ${elsewhere.path}`;
  const members = poolMembers(observed, design.pool);
  if (members === undefined) return `the members of the pool ${design.pool} could not be read`;
  const strangers = members.concat(pool?.vms ?? []);
  const stranger = strangers.find((vmid) => !visibleVm(observed, vmid));
  if (stranger !== undefined)
    return `VM ${stranger}, which is not part of this cluster, is in a pool that it has rights on`;
  const unmoved = Object.values(observed.taken).find(
    (vm) =>
      vm.tags.some((tag) => isClusterTag(tag) && tag.startsWith('oxherd-')) && !visibleVm(observed, vm.vmid),
  );
  return (
    unmoved && `VM ${unmoved.vmid} (${unmoved.name}) belongs to a cluster of version 0.1.0, which may use it`
  );
}

/** `undefined`: they could not be read. */
function poolMembers({ access }: Observed, pool: string | undefined): readonly number[] | undefined {
  if (pool === undefined) return [];
  const found = findIn(access.pools, pool);
  if (found.state === 'unread') return undefined;
  return found.state === 'present' ? found.value.vms : [];
}

function removeRole(
  context: Draft,
  role: string,
  subjects: readonly string[],
  token: string | undefined,
): string | undefined {
  const { acl } = context.observed.access;
  const command = `pveum role delete ${role}`;
  if (acl.unlisted !== undefined)
    return leave(context, `role ${role}`, `who has it could not be read: ${acl.unlisted}`, command);
  const other = visibleIn(acl).find((entry) => entry.role === role && !subjects.includes(entry.subject));
  if (other) return leave(context, `role ${role}`, `${other.subject} has it on ${other.path}`, command);
  return context.list.add(role, {
    kind: 'remove-legacy-access',
    title: `remove role ${role}`,
    reasons: ['of version 0.1.0; only the old user of the CSI driver has it'],
    impact: 'live',
    needs: [token],
    what: 'role',
    name: role,
    subjects,
  });
}

function removePool(context: Draft, pool: LegacyAccess['pool']): void {
  const { list, observed, design } = context;
  if (!pool) return;
  const command = `pveum pool delete ${pool.id}`;
  const stranger = pool.vms.find((vmid) => !visibleVm(observed, vmid));
  if (
    stranger !== undefined ||
    pool.storages.length > 0 ||
    pool.comment !== `Talos VMs of ${design.cluster.name}`
  ) {
    const why =
      stranger === undefined
        ? 'its members or its comment are not those of this cluster'
        : `VM ${stranger} in it is not part of this cluster`;
    leave(context, `pool ${pool.id}`, why, command);
    return;
  }
  if (!mayDo(observed, `/pool/${pool.id}`, 'Pool.Allocate')) return;
  const wanted = new Set<number>(design.nodes.map((node) => node.talosVm.vmid));
  // What is not in oxherd.yaml leaves the pool when it is removed: by the plan after this one.
  if (pool.vms.some((vmid) => !wanted.has(vmid))) return;
  list.add(pool.id, {
    kind: 'remove-legacy-access',
    title: `remove pool ${pool.id}`,
    reasons: [`of version 0.1.0; its VMs are in ${design.pool}`],
    impact: 'live',
    needs: list.steps.filter((step) => step.kind === 'join-pool').map((step) => step.id),
    what: 'pool',
    name: pool.id,
    subjects: [],
  });
}

function leave({ notes }: Draft, what: string, why: string, command: string): undefined {
  notes.push({
    code: 'left-alone',
    message: `${what} of version 0.1.0 is left alone: ${why}; if it is not needed: ${command}`,
  });
  return undefined;
}
