/** Fabrics and their nodes (pve-network, PVE/API2/Network/SDN/Fabrics). */
import { type Call, type Handlers, PveError } from '../api.js';
import {
  configOf,
  configured,
  died,
  digestOf,
  optionsOf,
  putConfig,
  removeConfig,
  type SdnConfig,
  type SdnKind,
  seen,
  withSdnLock,
} from './objects.js';

const PATH = '/cluster/sdn/fabrics';
const MAY_SEE = ['SDN.Audit', 'SDN.Allocate'];

export const fabricHandlers: Handlers = {
  [`GET ${PATH}`]: () => ['fabric', 'node', 'all'].map((subdir) => ({ subdir })),
  [`GET ${PATH}/all`]: (call) => ({ fabrics: listFabrics(call), nodes: listNodes(call) }),
  [`GET ${PATH}/fabric`]: listFabrics,
  [`GET ${PATH}/fabric/{id}`]: (call) => ({
    ...requireObject(call, 'fabrics', fabricId(call)),
    digest: digestOf(call.pve, 'fabrics'),
  }),
  [`POST ${PATH}/fabric`]: (call) =>
    withSdnLock(call, 'adding fabric failed', () => {
      const id = fabricId(call);
      if (configOf(call.pve, 'fabrics', id)) throw new PveError(500, `fabric '${id}' already exists`);
      putConfig(call.pve, 'fabrics', id, { ...given(call), id });
      return null;
    }),
  [`PUT ${PATH}/fabric/{id}`]: (call) =>
    withSdnLock(call, 'updating fabric failed', () => {
      change(call, 'fabrics', fabricId(call));
      return null;
    }),
  [`DELETE ${PATH}/fabric/{id}`]: deleteFabric,
  [`GET ${PATH}/node`]: listNodes,
  [`GET ${PATH}/node/{fabric_id}`]: (call) =>
    listNodes(call).filter(({ fabric_id }) => fabric_id === call.text('fabric_id')),
  [`GET ${PATH}/node/{fabric_id}/{node_id}`]: (call) => ({
    ...requireObject(call, 'fabric-nodes', nodeKey(call)),
    digest: digestOf(call.pve, 'fabrics'),
  }),
  [`POST ${PATH}/node/{fabric_id}`]: (call) =>
    withSdnLock(call, 'adding node failed', () => {
      const fabric = requireObject(call, 'fabrics', call.text('fabric_id') ?? '');
      if (configOf(call.pve, 'fabric-nodes', nodeKey(call))) {
        throw new PveError(500, `node '${call.text('node_id')}' already exists in fabric '${fabric.id}'`);
      }
      putConfig(call.pve, 'fabric-nodes', nodeKey(call), given(call));
      return null;
    }),
  [`PUT ${PATH}/node/{fabric_id}/{node_id}`]: (call) =>
    withSdnLock(call, 'updating node failed', () => {
      change(call, 'fabric-nodes', nodeKey(call));
      return null;
    }),
  [`DELETE ${PATH}/node/{fabric_id}/{node_id}`]: (call) =>
    withSdnLock(call, 'deleting node failed', () => {
      requireObject(call, 'fabric-nodes', nodeKey(call));
      removeConfig(call.pve, 'fabric-nodes', nodeKey(call));
      return null;
    }),
};

const fabricId = (call: Call) => call.text('id') ?? '';
const nodeKey = (call: Call) => `${call.text('fabric_id')}_${call.text('node_id')}`;

/** Interfaces are a list. */
function given(call: Call): SdnConfig {
  const interfaces = call.list('interfaces');
  return { ...optionsOf(call), ...(interfaces.length > 0 ? { interfaces: [...interfaces] } : {}) };
}

function listFabrics(call: Call): Record<string, unknown>[] {
  return seen(call, 'fabrics')
    .filter(([id]) => call.allows(`/sdn/fabrics/${id}`, MAY_SEE, { any: true }))
    .map(([id, fabric]) => ({ ...fabric, id, digest: digestOf(call.pve, 'fabrics') }));
}

function listNodes(call: Call): Record<string, unknown>[] {
  return seen(call, 'fabric-nodes')
    .map(([key, node]) => {
      const [fabric = '', ...rest] = key.split('_');
      return { ...node, fabric_id: fabric, node_id: rest.join('_'), digest: digestOf(call.pve, 'fabrics') };
    })
    .filter(({ fabric_id }) => call.allows(`/sdn/fabrics/${fabric_id}`, MAY_SEE, { any: true }));
}

function requireObject(call: Call, kind: SdnKind, id: string): SdnConfig {
  const found = configOf(call.pve, kind, id);
  if (found) return found;
  const what = kind === 'fabrics' ? `fabric '${id}'` : `node '${id.replace(/^[^_]*_/, '')}'`;
  throw new PveError(500, `${what} does not exist`);
}

function change(call: Call, kind: SdnKind, id: string): void {
  const old = requireObject(call, kind, id);
  const gone = new Set(call.list('delete'));
  const kept = Object.entries(old).filter(([key]) => !gone.has(key));
  putConfig(call.pve, kind, id, { ...Object.fromEntries(kept), ...given(call) });
}

function deleteFabric(call: Call): Promise<null> {
  return withSdnLock(call, 'deleting fabric failed', () => {
    const id = fabricId(call);
    const nodes = configured(call.pve, 'fabric-nodes').filter(([key]) => key.startsWith(`${id}_`));
    const hidden = nodes.find(([key]) => !call.allows(`/nodes/${key.slice(id.length + 1)}`, ['Sys.Modify']));
    if (hidden) {
      throw died(`permission check failed: missing 'Sys.Modify' on node ${hidden[0]}`, 'Fabrics/Fabric', 231);
    }
    const controller = configured(call.pve, 'controllers').find(([, one]) => one.fabric === id);
    if (controller) {
      throw died(
        `this fabric is still used in the EVPN controller "${controller[0]}"`,
        'Fabrics/Fabric',
        243,
      );
    }
    const zone = configured(call.pve, 'zones').find(([, one]) => one.fabric === id);
    if (zone) throw died(`this fabric is still used in the VXLAN zone "${zone[0]}"`, 'Fabrics/Fabric', 252);
    requireObject(call, 'fabrics', id);
    for (const [key] of nodes) removeConfig(call.pve, 'fabric-nodes', key);
    removeConfig(call.pve, 'fabrics', id);
    return null;
  });
}
