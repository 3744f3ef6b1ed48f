/** What is run after an attack, as the command line runs it; refusals are fine, losses are not. */
import type { ProxmoxClient, ProxmoxConnection } from '../../../src/clients/proxmox/client.js';
import { OxherdError } from '../../../src/model/error.js';
import { observe } from '../../../src/observe/observe.js';
import { planVolumeAdopt } from '../../../src/plan/drives/plan-volume-adopt.js';
import { planVolumeDelete } from '../../../src/plan/drives/plan-volume-delete.js';
import { listVolumes } from '../../../src/plan/drives/volume-list.js';
import type { Plan } from '../../../src/plan/plan.js';
import { planDestroy, volumesLost } from '../../../src/plan/plan-destroy.js';
import { type Arena, NODE, VOLUMES } from './arena.js';

/** Runs on the arena through `client`; the contents that it was asked to destroy by name. */
export type Operation = (arena: Arena, client: ProxmoxConnection) => Promise<ReadonlySet<string>>;

const NOTHING: ReadonlySet<string> = new Set();

async function carryOut(
  arena: Arena,
  client: ProxmoxConnection,
  plan: Plan,
  mayLose: ReadonlySet<string> = NOTHING,
): Promise<void> {
  if (plan.problems.some(({ scope }) => scope === 'plan')) return;
  const names = arena.site.design.nodes.flatMap((node) => node.drives.map((drive) => drive.name));
  await arena.site.apply(client, { plan, scope: { mayLose, names, clock: arena.site.lab.clock } });
}

async function apply(arena: Arena, client: ProxmoxConnection): Promise<ReadonlySet<string>> {
  await carryOut(arena, client, await arena.site.plan(client));
  return NOTHING;
}

async function destroy(arena: Arena, client: ProxmoxConnection): Promise<ReadonlySet<string>> {
  const { design } = arena.site;
  await carryOut(arena, client, planDestroy(design, await observe(client, design), { deleteData: false }));
  return NOTHING;
}

async function deleteData(arena: Arena, client: ProxmoxConnection): Promise<ReadonlySet<string>> {
  const { design } = arena.site;
  const plan = planDestroy(design, await observe(client, design), { deleteData: true });
  const ours = [...arena.marks].filter(([, { kind }]) => kind === 'ours').map(([note]) => note);
  const shown = arena.contentsOf(volumesLost(plan));
  const named = new Set(ours.filter((note) => shown.has(note)));
  await carryOut(arena, client, plan, volumesLost(plan));
  return named;
}

/** `volumes delete work-2/logs`; what that is, is known from when it was made. */
async function deleteLogs(arena: Arena, client: ProxmoxConnection): Promise<ReadonlySet<string>> {
  const { design } = arena.site;
  const plan = planVolumeDelete(design, await observe(client, design), `${NODE.name}/logs`);
  await carryOut(arena, client, plan, volumesLost(plan));
  return arena.logs;
}

/** Every volume without an identity is tried as every volume of the node. */
async function adoptAnything(arena: Arena, client: ProxmoxConnection): Promise<ReadonlySet<string>> {
  await powerOff(arena.hand, arena);
  const { design } = arena.site;
  for (const row of listVolumes(design, await observe(client, design))) {
    if (row.volid === undefined) continue;
    for (const name of ['data', 'logs', 'ephemeral']) {
      const observed = await observe(client, design);
      await tried(async () => {
        const { plan } = planVolumeAdopt(design, observed, `${NODE.name}/${name}`, row.volid ?? '');
        await carryOut(arena, client, plan);
      });
    }
  }
  return NOTHING;
}

async function powerOff(hand: ProxmoxClient, { db }: Arena): Promise<void> {
  const vm = db.vms.get(String(NODE.talos));
  if (vm?.running) await tried(() => hand.runTask(() => hand.stopVm(vm.host, NODE.talos)));
}

/** A refusal is what is hoped for; anything else is a defect of the test or of the product. */
export async function tried(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof OxherdError) && !(error instanceof Error && 'code' in error)) throw error;
  }
}

const changed =
  (change: (arena: Arena) => void, then: Operation): Operation =>
  (arena, client) => {
    change(arena);
    return then(arena, client);
  };

const withoutLogs = VOLUMES.filter((line) => !line.startsWith('logs'));

export const OPERATIONS = {
  apply,
  'scale in': changed((arena) => arena.use({ workers: 1 }), apply),
  'scale in and out': async (arena, client) => {
    arena.use({ workers: 1 });
    await tried(() => apply(arena, client));
    arena.use({});
    return apply(arena, client);
  },
  park: changed((arena) => arena.use({ volumes: withoutLogs }), apply),
  rename: changed(
    (arena) =>
      arena.use({ volumes: [...withoutLogs, 'notes: { type: disk, size: 1GiB, on: worker, was: logs }'] }),
    apply,
  ),
  move: changed(
    (arena) =>
      arena.use({ volumes: VOLUMES.map((line) => line.replace('on: worker', 'on: worker, storage: other')) }),
    apply,
  ),
  destroy,
  'delete data': deleteData,
  'delete logs': async (arena, client) => {
    arena.use({ volumes: withoutLogs });
    await tried(() => apply(arena, client));
    return deleteLogs(arena, client);
  },
  'delete logs, then apply': async (arena, client) => {
    arena.use({ volumes: withoutLogs });
    await tried(() => apply(arena, client));
    await tried(() => deleteLogs(arena, client));
    const named = arena.lost(NOTHING).length === 0 ? NOTHING : arena.logs;
    arena.use({});
    await apply(arena, client);
    return named;
  },
  'adopt anything': adoptAnything,
  'other cluster, apply': changed((arena) => arena.use({ cluster: 'name: smal', vmid: 161 }), apply),
  'other cluster, delete data': changed(
    (arena) => arena.use({ cluster: 'name: small-x' }),
    async (arena, client) => {
      await deleteData(arena, client);
      return NOTHING;
    },
  ),
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof OPERATIONS;
