/** Groups (pve-access-control, PVE/API2/Group.pm). */
import { type Call, type Handlers, PveError } from '../api.js';
import { withClusterLock } from '../quorum.js';

const MAY_SEE = ['User.Modify', 'Sys.Audit', 'Group.Allocate'];

export const groupHandlers: Handlers = {
  'GET /access/groups': (call) =>
    [...call.pve.db.groups.values()]
      .filter(({ id }) => call.allows(`/access/groups/${id}`, MAY_SEE, { any: true }))
      .map(({ id, comment }) => ({
        groupid: id,
        ...(comment ? { comment } : {}),
        users: members(call, id).join(','),
      })),
  'GET /access/groups/{groupid}': (call) => {
    const { id, comment } = requireGroup(call);
    return { members: members(call, id), ...(comment ? { comment } : {}) };
  },
  'POST /access/groups': (call) =>
    withClusterLock(call.pve, 'user_cfg', 'create group failed', () => {
      const id = groupId(call);
      const comment = call.text('comment');
      if (call.pve.db.groups.has(id)) throw new PveError(500, `group '${id}' already exists`);
      call.pve.db.groups.put(id, { id, ...(comment ? { comment } : {}) });
      return null;
    }),
  'PUT /access/groups/{groupid}': (call) =>
    withClusterLock(call.pve, 'user_cfg', 'update group failed', () => {
      const group = requireGroup(call);
      const comment = call.text('comment');
      call.pve.db.groups.put(group.id, { ...group, ...(comment === undefined ? {} : { comment }) });
      return null;
    }),
  'DELETE /access/groups/{groupid}': (call) =>
    withClusterLock(call.pve, 'user_cfg', 'delete group failed', () => {
      const { db } = call.pve;
      const { id } = requireGroup(call);
      db.groups.delete(id);
      for (const user of [...db.users.values()]) {
        if (user.groups.includes(id)) {
          db.users.put(user.id, { ...user, groups: user.groups.filter((group) => group !== id) });
        }
      }
      for (const [key, acl] of [...db.acls.entries()]) {
        if (acl.type === 'group' && acl.ugid === id) db.acls.delete(key);
      }
      return null;
    }),
};

const groupId = (call: Call) => call.text('groupid') ?? '';

function requireGroup(call: Call): { id: string; comment?: string } {
  const group = call.pve.db.groups.get(groupId(call));
  if (!group) throw new PveError(500, `group '${groupId(call)}' does not exist`);
  return group;
}

function members(call: Call, group: string): string[] {
  const users = [...call.pve.db.users.values()].filter((user) => user.groups.includes(group));
  return users.map((user) => user.id).sort();
}
