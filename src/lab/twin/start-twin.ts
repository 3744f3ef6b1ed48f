/**
 * A twin: a lab in memory that begins where a running cluster stands. Its machines have just booted; from then on it is
 * a lab like any other, and nothing leads from it to the cluster that it was made from.
 */
import { createFaults } from '../faults.js';
import { type Lab, startLab } from '../index.js';
import { loadObjects } from '../kubernetes/storage/object-dump.js';
import { labParts } from '../parts.js';
import { wakeManager } from '../proxmox/ha/commands.js';
import { type KeptState, memoryState } from '../state.js';
import type { Store } from '../store.js';
import { openTalosDb } from '../talos/machine/machine-record.js';
import type { TalosRoom } from '../talos/room.js';
import { seedMachines } from './seed-machines.js';
import { seedProxmox } from './seed-proxmox.js';
import type { TwinState } from './twin-state.js';

export interface Twin {
  readonly lab: Lab;
  readonly room: TalosRoom;
  /** As it is now: another twin can go on from here, any number of times. */
  keep(): KeptState;
  stop(): Promise<void>;
}

/** The first boot of all machines at once, with etcd, the API and the pods after it. */
const SETTLES_MS = 180_000;

export async function startTwin(state: TwinState): Promise<Twin> {
  const memory = memoryState();
  const { store } = memory;
  store.table<number>('lab').put('time', state.at);
  const db = seedProxmox(store, state);
  const { etcdCluster } = seedMachines(db, openTalosDb(store), state);
  seedSchematics(store, state.schematics);
  loadObjects(store, etcdCluster, { revision: highestRevision(state), objects: state.objects });
  const faults = createFaults(store);
  for (const subject of state.offlineHosts) faults.set({ name: 'host-down', subject, countdown: null });
  for (const { vmid, silent } of state.machines)
    if (silent) faults.set({ name: 'machine-stuck', subject: String(vmid), countdown: 0 });
  for (const subject of state.ha?.maintenance ?? [])
    faults.set({ name: 'ha-maintenance', subject, countdown: null });
  const twin = await run(memory);
  if (state.ha) wakeManager(twin.lab.proxmox.pve);
  await twin.lab.clock.sleep(SETTLES_MS);
  for (const { vmid, staged } of state.machines) {
    if (staged !== undefined) twin.room.machine(vmid)?.persistConfig(staged);
  }
  return twin;
}

export function resumeTwin(kept: KeptState): Promise<Twin> {
  return run(memoryState(kept));
}

async function run(state: ReturnType<typeof memoryState>): Promise<Twin> {
  let room: TalosRoom | undefined;
  const parts = labParts({
    onRoom: (made) => {
      room = made;
    },
  });
  const lab = await startLab({ state, parts });
  if (!room) throw new Error('the twin has no machines');
  const keep = (): KeptState => {
    // What is written on the way is ahead of time.
    state.store.table<number>('lab').put('time', lab.clock.now());
    return state.keep();
  };
  return { lab, room, keep, stop: () => lab.stop() };
}

/** What machines run was registered with the factory once. */
function seedSchematics(store: Store, schematics: TwinState['schematics']): void {
  const table = store.table<string>('factory/schematics');
  for (const [id, officialExtensions] of Object.entries(schematics))
    table.put(id, JSON.stringify({ customization: { systemExtensions: { officialExtensions } } }));
}

/** Versions of objects that were copied are kept, and later ones are higher. */
function highestRevision({ objects }: TwinState): number {
  const versions = Object.values(objects)
    .flat()
    .map(({ metadata }) => Number(metadata.resourceVersion ?? 0));
  return versions.reduce((high, version) => (version > high ? version : high), 1);
}
