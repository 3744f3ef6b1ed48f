/** What HA is told to look after. There is no HA manager behind it: nothing is restarted or moved. */
import { createHash } from 'node:crypto';
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { requireQuorum } from '../quorum.js';
import { splitList } from '../validation/formats.js';

export const haHandlers: Handlers = {
  'GET /cluster/ha': () => ['status', 'resources', 'groups', 'rules'].map((id) => ({ id })),
  'GET /cluster/ha/groups': () => {
    throw new PveError(500, 'cannot index groups: ha groups have been migrated to rules');
  },
  'GET /cluster/ha/resources': (call) =>
    [...call.pve.db.haResources.values()]
      .filter((resource) => call.text('type') === undefined || resource.type === call.text('type'))
      .map((resource) => ({ ...resource, digest: digestOf(call.pve) })),
  'GET /cluster/ha/resources/{sid}': (call) => ({ ...requireResource(call), digest: digestOf(call.pve) }),
  'POST /cluster/ha/resources': createResource,
  'PUT /cluster/ha/resources/{sid}': updateResource,
  'DELETE /cluster/ha/resources/{sid}': (call) => {
    const sid = sidOf(call);
    if (!call.pve.db.haResources.has(sid)) {
      throw new PveError(500, `cannot delete service '${sid}', not HA managed!`);
    }
    requireQuorum(call.pve);
    call.pve.db.haResources.delete(sid);
    return null;
  },
  'GET /cluster/ha/rules': () => [],
  'GET /cluster/ha/status': () => [{ name: 'current' }, { name: 'manager_status' }],
  'GET /cluster/ha/status/current': () => [
    { id: 'quorum', type: 'quorum', node: 'quorum', status: 'OK', quorate: 1 },
  ],
};

/** A number alone is a VM. */
function sidOf(call: Call): string {
  const sid = call.text('sid') ?? '';
  return /^\d+$/.test(sid) ? `vm:${sid}` : sid;
}

function digestOf(pve: Pve): string {
  return createHash('sha1')
    .update(JSON.stringify([...pve.db.haResources.values()]))
    .digest('hex');
}

function requireResource(call: Call): Record<string, unknown> {
  const resource = call.pve.db.haResources.get(sidOf(call));
  if (!resource) throw new PveError(500, `no such resource '${sidOf(call)}'`);
  return resource;
}

function createResource(call: Call): null {
  const { db } = call.pve;
  requireQuorum(call.pve);
  const sid = sidOf(call);
  const [type = '', name = ''] = sid.split(':');
  const { sid: _sid, type: givenType, group, ...settings } = call.params;
  if (givenType !== undefined && givenType !== type) throw new PveError(500, 'types does not match');
  if (group !== undefined) {
    throw new PveError(500, "invalid parameter 'group': ha groups have been migrated to rules");
  }
  if (type !== 'vm') throw new PveError(500, `unable to parse resource id '${sid}'`);
  if (!db.vms.has(name)) throw new PveError(500, `resource '${sid}' does not exist in cluster`);
  if (db.haResources.has(sid)) {
    throw new PveError(500, `create resource failed: resource ID '${sid}' already defined`);
  }
  db.haResources.put(sid, { sid, type, state: 'started', ...settings });
  return null;
}

function updateResource(call: Call): null {
  requireQuorum(call.pve);
  const resource = { ...requireResource(call) };
  const { sid: _sid, delete: remove, digest, ...settings } = call.params;
  if (digest && digest !== digestOf(call.pve)) {
    throw new PveError(500, 'detected modified configuration - file changed by other user? Try again.');
  }
  for (const key of splitList(String(remove ?? ''))) delete resource[key];
  call.pve.db.haResources.put(sidOf(call), { ...resource, ...settings });
  return null;
}
