/** PCI mappings (pve-manager, PVE/API2/Cluster/Mapping/PCI.pm); recording `node-hardware`. */
import { createHash } from 'node:crypto';
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import type { HostRecord, PveDb } from '../db.js';
import { withClusterLock } from '../quorum.js';
import { splitList } from '../validation/formats.js';

type Mapping = NonNullable<ReturnType<PveDb['pciMappings']['get']>>;

const MAY_SEE = ['Mapping.Modify', 'Mapping.Use', 'Mapping.Audit'];

export const pciMappingHandlers: Handlers = {
  'GET /cluster/mapping': () => [{ name: 'pci' }, { name: 'usb' }, { name: 'dir' }],
  'GET /cluster/mapping/pci': listMappings,
  'GET /cluster/mapping/pci/{id}': (call) => {
    const mapping = call.pve.db.pciMappings.get(mappingId(call));
    if (!mapping) throw new PveError(500, `mapping '${mappingId(call)}' not found`);
    const { id: _, ...data } = describe(call, mapping);
    return data;
  },
  'POST /cluster/mapping/pci': (call) =>
    withClusterLock(call.pve, 'mapping_pci_cfg', 'create hardware mapping failed', () => {
      const id = mappingId(call);
      if (call.pve.db.pciMappings.has(id)) throw new PveError(500, `pci ID '${id}' already defined`);
      call.pve.db.pciMappings.put(id, { id, ...settings(call) });
      return null;
    }),
  'PUT /cluster/mapping/pci/{id}': updateMapping,
  'DELETE /cluster/mapping/pci/{id}': (call) =>
    withClusterLock(call.pve, 'mapping_pci_cfg', 'delete pci mapping failed', () => {
      call.pve.db.pciMappings.delete(mappingId(call));
      return null;
    }),
};

const mappingId = (call: Call) => call.text('id') ?? '';

function settings(call: Call): Omit<Mapping, 'id'> {
  const description = call.text('description');
  const mdev = call.number('mdev');
  const live = call.number('live-migration-capable');
  return {
    ...(description === undefined ? {} : { description }),
    ...(mdev === undefined ? {} : { mdev }),
    ...(live === undefined ? {} : { 'live-migration-capable': live }),
    map: [...call.list('map')],
  };
}

function digestOf(db: PveDb): string {
  return createHash('sha1')
    .update(JSON.stringify([...db.pciMappings.values()]))
    .digest('hex');
}

function describe(call: Call, mapping: Mapping): Mapping & { type: string; digest: string } {
  return { ...mapping, type: 'pci', digest: digestOf(call.pve.db) };
}

function listMappings(call: Call): unknown {
  const asked = call.text('check-node');
  const node = asked === 'localhost' ? call.host : asked;
  return [...call.pve.db.pciMappings.values()]
    .filter(({ id }) => call.allows(`/mapping/pci/${id}`, MAY_SEE, { any: true }))
    .map((mapping) => ({
      ...describe(call, mapping),
      ...(node === undefined ? {} : { checks: checkOnNode(call.pve, mapping, node) }),
    }));
}

function checkOnNode(pve: Pve, mapping: Mapping, node: string): unknown[] {
  const here = mapping.map.map(parseMap).filter((entry) => entry.node === node);
  if (here.length === 0) return [{ severity: 'warning', message: `No mapping for node ${node}.` }];
  const pci = pve.db.hosts.get(node)?.pci ?? [];
  return here.flatMap((entry) => {
    const problem = deviceProblem(mapping.id, entry, pci);
    return problem === undefined
      ? []
      : [{ severity: 'error', message: `Invalid configuration: ${problem}\n` }];
  });
}

function parseMap(line: string): Record<string, string> {
  return Object.fromEntries(
    line.split(',').map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );
}

/** Why the devices of a mapping are not what it says they are. */
function deviceProblem(
  name: string,
  entry: Record<string, string>,
  pci: HostRecord['pci'],
): string | undefined {
  for (const [index, path] of (entry.path ?? '').split(';').entries()) {
    const address = /\.[a-f0-9]/i.test(path) ? path : `${path}.0`;
    const device = pci.find((candidate) => candidate.id === address);
    if (!device) return `pci device '${address}' not found`;
    const id = `${device.vendor}:${device.device}`.replaceAll('0x', '');
    if (entry.id !== id) return `'id' does not match for '${name}' (${id} != ${entry.id})`;
    if (index > 0) continue;
    if (entry.iommugroup === undefined)
      return `missing expected property 'iommugroup' for device '${address}'`;
    if (entry.iommugroup !== String(device.iommugroup)) {
      return `'iommugroup' does not match for '${name}' (${device.iommugroup} != ${entry.iommugroup})`;
    }
  }
  return undefined;
}

function updateMapping(call: Call): Promise<null> {
  const { db } = call.pve;
  return withClusterLock(call.pve, 'mapping_pci_cfg', 'update hardware mapping failed', () => {
    const id = mappingId(call);
    const digest = call.text('digest');
    if (digest && digest !== digestOf(db)) {
      throw new PveError(500, 'detected modified configuration - file changed by other user? Try again.');
    }
    const mapping = db.pciMappings.get(id);
    if (!mapping) throw new PveError(500, `pci ID '${id}' does not exist`);
    // The whole mapping has to be sent each time (recording `node-hardware`, "change mapping").
    if (call.list('map').length === 0) throw new PveError(500, "missing value for required option 'map'");
    const changed = { ...mapping, ...settings(call) };
    for (const key of splitList(call.text('delete') ?? '')) {
      if (key === 'map') throw new PveError(500, "unable to delete required option 'map'");
      if (key === 'description') delete changed.description;
      if (key === 'mdev') delete changed.mdev;
      if (key === 'live-migration-capable') delete changed['live-migration-capable'];
    }
    db.pciMappings.put(id, changed);
    return null;
  });
}
