/** The software-defined network (pve-network). What is applied is there at once; nothing is ever routed. */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { nodeOf } from '../http/request.js';
import { reloadInterfaces } from '../nodes/interfaces.js';
import { controllerHandlers } from './controllers.js';
import { fabricHandlers } from './fabrics.js';
import {
  applyAll,
  digestOf,
  hasPendingChanges,
  newLock,
  releaseLock,
  rollBackAll,
  running,
  withSdnLock,
} from './objects.js';
import { subnetHandlers } from './subnets.js';
import { vnetHandlers } from './vnets.js';
import { zoneHandlers } from './zones.js';

const LOCAL = 'localnetwork';
const APPLY = 'reloadnetworkall';
const APPLY_MS = 2_000;

export const sdnHandlers: Handlers = {
  'GET /cluster/sdn': () =>
    ['vnets', 'zones', 'controllers', 'ipams', 'dns', 'fabrics'].map((id) => ({ id })),
  'PUT /cluster/sdn': apply,
  'POST /cluster/sdn/lock': (call) =>
    withSdnLock(call, 'could not acquire lock for SDN config', () => {
      if (!call.flag('allow-pending') && hasPendingChanges(call.pve)) {
        throw new PveError(
          500,
          'configuration has pending changes at /usr/share/perl5/PVE/API2/Network/SDN.pm line 158.',
        );
      }
      return newLock(call.pve);
    }),
  'DELETE /cluster/sdn/lock': (call) => {
    if (!call.flag('force')) {
      return withSdnLock(call, 'could not release lock', () => {
        releaseLock(call.pve);
        return null;
      });
    }
    releaseLock(call.pve);
    return null;
  },
  'POST /cluster/sdn/rollback': (call) =>
    withSdnLock(call, 'could not rollback SDN configuration', () => {
      rollBackAll(call.pve);
      if (call.text('lock-token') !== undefined && call.number('release-lock') !== 0) releaseLock(call.pve);
      return null;
    }),
  'GET /cluster/sdn/ipams': (call) => [{ ipam: 'pve', type: 'pve', digest: digestOf(call.pve, 'ipams') }],
  'GET /cluster/sdn/dns': () => [],
  ...controllerHandlers,
  ...fabricHandlers,
  ...subnetHandlers,
  ...vnetHandlers,
  ...zoneHandlers,
  'GET /nodes/{node}/sdn': () => ['fabrics', 'vnets', 'zones'].map((name) => ({ name })),
  'GET /nodes/{node}/sdn/zones': listLocalZones,
  'GET /nodes/{node}/sdn/zones/{zone}': () => ['content', 'bridges', 'ip-vrf'].map((subdir) => ({ subdir })),
  'GET /nodes/{node}/sdn/zones/{zone}/content': (call) =>
    bridgesOf(call).map((vnet) => ({ vnet, status: 'available' })),
  'GET /nodes/{node}/sdn/zones/{zone}/bridges': (call) =>
    bridgesOf(call).map((name) => ({ name, ports: [], vlan_filtering: 0 })),
  'GET /nodes/{node}/sdn/zones/{zone}/ip-vrf': (call) => {
    const found = running(call.pve, 'zones').some(([zone]) => zone === call.text('zone'));
    if (!found) throw PveError.parameter({ zone: 'zone does not exist' });
    return [];
  },
};

export function defineSdnTasks(pve: Pve): void {
  pve.tasks.define<object>(APPLY, (_args, task) => {
    for (const host of pve.db.hosts.values()) {
      task.log(`${host.name}: reloading network config`);
      reloadInterfaces(pve, host.name);
    }
    return undefined;
  });
}

async function apply(call: Call): Promise<string> {
  await withSdnLock(call, 'could not commit SDN config', () => {
    applyAll(call.pve);
    if (call.text('lock-token') !== undefined && call.number('release-lock') !== 0) releaseLock(call.pve);
  });
  return call.pve.tasks.start(call, { node: call.host, type: APPLY, id: '', args: {}, duration: APPLY_MS });
}

/** Zones that run on the host, for whoever asks; its own bridges are none of them. */
function listLocalZones(call: Call): unknown {
  return running(call.pve, 'zones')
    .filter(([, { nodes }]) => nodes === undefined || String(nodes).split(',').includes(nodeOf(call)))
    .map(([zone]) => ({ zone, status: 'available' }));
}

function bridgesOf(call: Call): string[] {
  const zone = call.text('zone');
  if (zone === LOCAL) return (call.pve.db.hosts.get(nodeOf(call))?.bridges ?? []).map(({ iface }) => iface);
  return running(call.pve, 'vnets').flatMap(([vnet, config]) => (config.zone === zone ? [vnet] : []));
}
