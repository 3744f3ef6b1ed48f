import type { Call, Handlers } from '../api.js';
import { haHandlers } from '../ha/status.js';
import { hostAddress } from '../host-address.js';
import { hostIsUp, looksQuorate } from '../quorum.js';
import { versionOf } from '../version.js';
import { cpuModelHandlers } from './cpu-models.js';
import { metricHandlers } from './metric-servers.js';
import { optionHandlers } from './options.js';
import { otherMappingHandlers } from './other-mappings.js';
import { pciMappingHandlers } from './pci-mappings.js';
import { replicationHandlers } from './replication.js';
import { replicationStatusHandlers } from './replication-status.js';
import { listResources } from './resources.js';

export const clusterHandlers: Handlers = {
  'GET /version': (call) => versionOf(call.pve.db.hosts.get(call.host)),
  'GET /cluster': () => SUBDIRS.map((name) => ({ name })),
  'GET /cluster/resources': listResources,
  'GET /cluster/status': clusterStatus,
  'GET /cluster/config': () => ['nodes', 'totem', 'join', 'qdevice', 'apiversion'].map((name) => ({ name })),
  'GET /cluster/config/nodes': ({ pve }) =>
    pve.db.hosts.size < 2
      ? []
      : [...pve.db.hosts.values()].map((host, index) => ({
          node: host.name,
          name: host.name,
          nodeid: String(index + 1),
          quorum_votes: '1',
          ring0_addr: hostAddress(host.bridges),
        })),
  ...optionHandlers,
  ...cpuModelHandlers,
  ...haHandlers,
  ...metricHandlers,
  ...pciMappingHandlers,
  ...otherMappingHandlers,
  ...replicationHandlers,
  ...replicationStatusHandlers,
};

const SUBDIRS =
  'acme backup backup-info bulk-action ceph config firewall ha jobs log mapping metrics nextid notifications options qemu replication resources status tasks sdn'.split(
    ' ',
  );

/** A single host is no cluster: its id is 0 and there is no line for the cluster (recording `cluster-overview`). */
function clusterStatus(call: Call): unknown {
  const { pve } = call;
  const hosts = [...pve.db.hosts.values()];
  const alone = hosts.length < 2;
  const nodes = hosts.map((host, index) => ({
    type: 'node',
    id: `node/${host.name}`,
    name: host.name,
    nodeid: alone ? 0 : index + 1,
    local: host.name === call.host ? 1 : 0,
    online: hostIsUp(pve, host.name) ? 1 : 0,
    ip: hostAddress(host.bridges),
    level: '',
  }));
  if (alone) return nodes;
  const cluster = {
    type: 'cluster',
    id: 'cluster',
    name: pve.db.settings.get('cluster-name'),
    nodes: hosts.length,
    version: hosts.length,
    quorate: looksQuorate(pve) ? 1 : 0,
  };
  return [cluster, ...nodes];
}
