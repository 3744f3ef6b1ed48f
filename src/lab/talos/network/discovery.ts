import type { Machine, Room } from '../machine/machine.js';
import { reachesOutside } from './network-path.js';

/** What the discovery service remembers of a node: a new STATE is a new identity, the old one lives on a while. */
interface DiscoveryRecord {
  readonly cluster: string;
  readonly nodeId: string;
  readonly vmid: number;
  /** With its domain. */
  readonly hostname: string;
  readonly nodeName: string;
  readonly addresses: readonly string[];
  readonly type: 'controlplane' | 'worker';
  readonly version: string;
  /** Since when it is silent; absent while it runs. */
  readonly gone?: number;
}

/** An identity that is not renewed is forgotten after half an hour. */
const FORGOTTEN_AFTER = 30 * 60_000;

function table(room: Room) {
  return room.core.store.table<DiscoveryRecord>('talos/discovery');
}

/** Under which key a machine said last that it is there. */
const published = new WeakMap<Machine, string>();

/** Running machines say they are there; those that do not any more begin to be forgotten. */
export function publishMembers(room: Room, machines: readonly Machine[]): void {
  const records = table(room);
  const now = room.core.clock.now();
  for (const machine of machines) {
    const { facts, state, record } = machine;
    published.delete(machine);
    if (!facts?.complete || !facts.cluster.discovery || !state || record.stage !== 'running') continue;
    if (!reachesOutside(machine)) continue;
    const key = `${facts.cluster.id}/${state.nodeId}`;
    published.set(machine, key);
    const entry: DiscoveryRecord = {
      cluster: facts.cluster.id,
      nodeId: state.nodeId,
      vmid: machine.vmid,
      hostname: machine.fqdn,
      nodeName: machine.nodeName,
      addresses: machine.addresses.map(({ ip }) => ip),
      type: facts.type,
      version: record.system?.version ?? '',
    };
    if (JSON.stringify(records.get(key)) !== JSON.stringify(entry)) records.put(key, entry);
  }
  for (const [key, entry] of records.entries()) {
    const machine = room.machine(entry.vmid);
    if (machine && published.get(machine) === key) continue;
    if (entry.gone === undefined) records.put(key, { ...entry, gone: now });
    else if (now - entry.gone > FORGOTTEN_AFTER) records.delete(key);
  }
}

/** `Members.cluster.talos.dev`, as a machine of the cluster sees it. */
export function discoveredMembers(machine: Machine) {
  const { facts, room, record } = machine;
  if (!facts?.complete || record.stage !== 'running') return [];
  const now = room.core.clock.now();
  return [...table(room).values()]
    .filter((entry) => entry.cluster === facts.cluster.id && now - (entry.gone ?? now) <= FORGOTTEN_AFTER)
    .map((entry, _, all) => ({
      // Two identities of one node name: the later one takes its node id into its name.
      id:
        all.find((one) => one.nodeName === entry.nodeName) === entry
          ? entry.nodeName
          : `${entry.nodeName}-${entry.nodeId.slice(0, 8)}`,
      spec: {
        nodeId: entry.nodeId,
        addresses: entry.addresses,
        hostname: entry.hostname,
        machineType: entry.type,
        operatingSystem: `Talos (${entry.version})`,
        ...(entry.type === 'controlplane' ? { controlPlane: { port: 6443 } } : {}),
      },
    }));
}
