/** What HA is told to look after (pve-ha-manager, PVE/API2/HA/Resources.pm); recording `ha-resources`. */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { requireQuorum } from '../quorum.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import { blockingResources, dependentResources } from './affinity.js';
import { queueCommand, wakeManager } from './commands.js';
import type { HaResource } from './state.js';

const OPTIONS = ['state', 'max_restart', 'max_relocate', 'failback', 'comment', 'group', 'auto-rebalance'];

export const haResourceHandlers: Handlers = {
  'GET /cluster/ha/resources': (call) =>
    [...call.pve.db.haResources.values()]
      .filter((resource) => call.text('type') === undefined || resource.type === call.text('type'))
      .map((resource) => ({ ...resource, digest: digestOf(call.pve) })),
  'GET /cluster/ha/resources/{sid}': (call) => {
    const sid = sidOf(call);
    const resource = call.pve.db.haResources.get(sid);
    if (!resource) throw new PveError(500, `no such resource '${sid}'`);
    return { ...resource, digest: digestOf(call.pve) };
  },
  'POST /cluster/ha/resources': createResource,
  'PUT /cluster/ha/resources/{sid}': updateResource,
  'DELETE /cluster/ha/resources/{sid}': (call) => {
    const sid = sidOf(call);
    if (!call.pve.db.haResources.has(sid)) {
      throw new PveError(500, `cannot delete service '${sid}', not HA managed!`);
    }
    requireQuorum(call.pve);
    removeResource(call.pve, sid, call.params.purge !== 0);
    return null;
  },
  'POST /cluster/ha/resources/{sid}/migrate': (call) => requestMove(call, 'migrate'),
  'POST /cluster/ha/resources/{sid}/relocate': (call) => requestMove(call, 'relocate'),
};

function digestOf(pve: Pve): string {
  return digestOfText([...pve.db.haResources.values()]);
}

/** A number alone is a VM that exists. */
function sidOf(call: Call): string {
  const sid = call.text('sid') ?? '';
  if (!/^\d+$/.test(sid)) return sid;
  if (!call.pve.db.vms.has(sid)) {
    throw new PveError(500, `unable to detect SID from VMID - VM/CT ${sid} does not exist`);
  }
  return `vm:${sid}`;
}

/** One that is to be ignored is not the manager's. */
export function isManaged(pve: Pick<Pve, 'db'>, sid: string): boolean {
  const resource = pve.db.haResources.get(sid);
  return resource !== undefined && resource.state !== 'ignored';
}

export function requestState(pve: Pve, sid: string, state: string): void {
  if (!pve.db.haResources.has(sid)) return;
  pve.db.haResources.update(sid, (resource) => ({ ...resource, state }));
  wakeManager(pve);
}

/** Rules lose the resource too; one that names no other goes. */
export function removeResource(pve: Pve, sid: string, purge: boolean): void {
  pve.db.haResources.delete(sid);
  pve.db.haServices.delete(sid);
  if (purge) {
    for (const [id, rule] of [...pve.db.haRules.entries()]) {
      if (!rule.resources.includes(sid)) continue;
      const resources = rule.resources.filter((other) => other !== sid);
      if (resources.length === 0) pve.db.haRules.delete(id);
      else pve.db.haRules.put(id, { ...rule, resources });
    }
  }
  wakeManager(pve);
}

function createResource(call: Call): null {
  const { db } = call.pve;
  requireQuorum(call.pve);
  const sid = sidOf(call);
  const [type = '', name = ''] = sid.split(':');
  const { sid: _sid, type: givenType, group, ...settings } = call.params;
  if (givenType !== undefined && givenType !== type) throw new PveError(500, 'types does not match');
  if (group !== undefined) throw groupsMigrated();
  if (type !== 'vm' && type !== 'ct') throw new PveError(500, `unknown section type '${type}'`);
  if (!/^[1-9]\d{2,8}$/.test(name)) throw new PveError(500, 'invalid VMID');
  if (!db.vms.has(name)) throw new PveError(500, `resource '${sid}' does not exist in cluster`);
  if (type === 'ct') {
    throw new PveError(500, `resource '${sid}' - guest with ID ${name} is not a container`);
  }
  if (db.haResources.has(sid)) {
    throw new PveError(500, `create resource failed: resource ID '${sid}' already defined`);
  }
  db.haResources.put(sid, { sid, type, ...settings });
  wakeManager(call.pve);
  return null;
}

function groupsMigrated(): PveError {
  return new PveError(500, "invalid parameter 'group': ha groups have been migrated to rules");
}

function assertUsable(pve: Pve, sid: string, requested?: string): void {
  if (pve.db.haServices.get(sid)?.state !== 'error' || requested === 'disabled') return;
  throw new PveError(500, `service '${sid}' in error state, must be disabled and fixed first`);
}

function updateResource(call: Call): null {
  const { pve } = call;
  const sid = sidOf(call);
  const { sid: _sid, delete: remove, digest, type, group, ...settings } = call.params;
  if (type !== undefined && type !== sid.split(':')[0]) throw new PveError(500, 'types does not match');
  if (group !== undefined) throw groupsMigrated();
  assertUsable(pve, sid, call.text('state'));
  const fail = (message: string) => new PveError(500, `update resources config failed: ${message}`);
  try {
    assertDigest(digest, digestOf(pve));
  } catch (error) {
    throw error instanceof PveError ? fail(error.message) : error;
  }
  requireQuorum(pve);
  const known = pve.db.haResources.get(sid);
  if (!known) throw fail(`no such resource '${sid}'`);
  const resource: Record<string, unknown> = { ...known, ...settings };
  // What is set and removed by one request is removed.
  for (const key of splitList(String(remove ?? ''))) {
    if (!OPTIONS.includes(key)) throw fail(`no such option '${key}'`);
    delete resource[key];
  }
  const changed: HaResource = { ...resource, sid, type: known.type };
  pve.db.haResources.put(sid, changed);
  wakeManager(pve);
  return null;
}

/** Whether the manager will do it, it finds out later: an unknown host is fine here. */
function requestMove(call: Call, command: 'migrate' | 'relocate'): unknown {
  const { pve } = call;
  const sid = sidOf(call);
  const node = call.text('node') ?? '';
  if (!isManaged(pve, sid)) throw new PveError(500, `resource '${sid}' is not HA managed`);
  assertUsable(pve, sid);
  queueCommand(pve, { command, sid, node });
  const along = dependentResources(pve, sid);
  const blocking = blockingResources(pve, sid, node);
  return {
    sid,
    'requested-node': node,
    ...(along.length > 0 ? { 'comigrated-resources': along } : {}),
    ...(blocking.length > 0 ? { 'blocking-resources': blocking } : {}),
  };
}
