import { z } from 'zod';
import { type Call, type Handlers, PveError } from '../api.js';
import { hasQuorum, hostIsUp, withClusterLock } from '../quorum.js';
import { splitList } from '../validation/formats.js';
import { VERSION } from '../version.js';
import { cpuModelHandlers } from './cpu-models.js';
import { haHandlers } from './ha.js';
import { pciMappingHandlers } from './pci-mappings.js';
import { listResources } from './resources.js';
import { sdnHandlers } from './sdn.js';

export const clusterHandlers: Handlers = {
  'GET /version': () => VERSION,
  'GET /cluster': () => SUBDIRS.map((name) => ({ name })),
  'GET /cluster/resources': listResources,
  'GET /cluster/status': clusterStatus,
  'GET /cluster/nextid': nextId,
  'GET /cluster/options': readOptions,
  'PUT /cluster/options': writeOptions,
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
  ...cpuModelHandlers,
  ...haHandlers,
  ...pciMappingHandlers,
  ...sdnHandlers,
};

const SUBDIRS =
  'acme backup backup-info bulk-action ceph config firewall ha jobs log mapping metrics nextid notifications options qemu replication resources status tasks sdn'.split(
    ' ',
  );

function hostAddress(bridges: readonly { address?: string }[]): string | undefined {
  return bridges.find((bridge) => bridge.address !== undefined)?.address;
}

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
    quorate: hasQuorum(pve) ? 1 : 0,
  };
  return [cluster, ...nodes];
}

/** The first free id, and nothing is reserved by asking. */
function nextId(call: Call): string {
  const { db } = call.pve;
  const asked = call.number('vmid');
  if (asked !== undefined) {
    if (db.vms.has(String(asked))) throw PveError.parameter({ vmid: `VM ${asked} already exists` });
    return String(asked);
  }
  const range = z.string().catch('').parse(options(call)['next-id']);
  const lower = Number(/lower=(\d+)/.exec(range)?.[1] ?? 100);
  const upper = Number(/upper=(\d+)/.exec(range)?.[1] ?? 1_000_000);
  for (let vmid = lower; vmid < upper; vmid += 1) if (!db.vms.has(String(vmid))) return String(vmid);
  throw new PveError(500, `unable to get any free VMID in range [${lower}, ${upper - 1}]`);
}

function options(call: Call): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).catch({}).parse(call.pve.db.settings.get('datacenter'));
}

/** What a tag style or console says is for everybody. */
const OPEN_OPTIONS = ['console', 'tag-style'];

function readOptions(call: Call): unknown {
  const set = options(call);
  const shown = call.allows('/', ['Sys.Audit'])
    ? { description: '', mac_prefix: 'BC:24:11', ...set }
    : Object.fromEntries(Object.entries(set).filter(([key]) => OPEN_OPTIONS.includes(key)));
  const registered = splitList(String(set['registered-tags'] ?? ''));
  return { ...shown, 'allowed-tags': [...new Set(registered)].sort() };
}

function writeOptions(call: Call): Promise<null> {
  return withClusterLock(call.pve, 'datacenter_cfg', '', () => {
    const { delete: remove, ...given } = call.params;
    const changed = { ...options(call), ...given };
    for (const key of splitList(String(remove ?? ''))) delete changed[key];
    call.pve.db.settings.put('datacenter', changed);
    return null;
  });
}
