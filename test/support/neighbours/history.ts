/** Random histories of two clusters and a person who all use one Proxmox: nobody loses what others made. */

import { LockError } from '../../../src/apply/lock/lock-error.js';
import type { ProxmoxClient } from '../../../src/clients/proxmox/client.js';
import { clusterTag, legacyCsiVolumeName, legacyTag } from '../../../src/formats/marks/cluster-names.js';
import { DATA_TAG } from '../../../src/formats/marks/data-tag.js';
import { secretsNote } from '../../../src/formats/marks/secrets-note.js';
import { type Lab, startLab } from '../../../src/lab/index.js';
import { labParts } from '../../../src/lab/parts.js';
import { parseVmid, type Vmid } from '../../../src/model/identity.js';
import { observe } from '../../../src/observe/observe.js';
import { planVolumeDelete } from '../../../src/plan/drives/plan-volume-delete.js';
import { listVolumes } from '../../../src/plan/drives/volume-list.js';
import type { Plan } from '../../../src/plan/plan.js';
import { planDestroy, volumesLost } from '../../../src/plan/plan-destroy.js';
import { worldOf } from '../../../src/session/lab/lab-world.js';
import { makeTagsOld } from '../legacy.js';
import { configOf, VmSite } from '../vm-site.js';
import { type Choose, edit, type FileModel, fileText, newFile, PAIRS } from './file-model.js';
import { Ledger, type Party } from './ledger.js';

type Cluster = 'one' | 'other';
const HOST = 'pve1';
const STORAGE = 'local-zfs';
const GIB = 1024 ** 3;
const HOME = { one: 151, other: 251 } as const;

export interface HistoryReport {
  readonly wrong: readonly string[];
  /** Runs that changed something, and runs that were refused. */
  readonly applied: number;
  readonly refused: number;
}

export async function liveHistory(seed: number, steps: number): Promise<HistoryReport> {
  const choose = chooser(seed);
  const pair = choose(PAIRS);
  const files = { one: newFile(pair[0], HOME.one), other: newFile(pair[1], HOME.other) };
  const lab = await startLab({
    world: worldOf(configOf(fileText(files.one))),
    parts: labParts({ machines: false }),
  });
  try {
    const history = new History(lab, files, choose);
    const wrong: string[] = [];
    for (let step = 0; step < steps && wrong.length === 0; step += 1) await history.step(wrong, step);
    if (wrong.length === 0) await history.settle(wrong);
    const told = wrong.map((line) => `seed ${seed}: ${line}\n  after: ${history.told.join('; ')}`);
    return { wrong: told, applied: history.applied, refused: history.refused };
  } finally {
    await lab.stop();
  }
}

/** What a step did, and the volumes that were named to be lost. */
interface Done {
  readonly what: string;
  readonly named?: ReadonlySet<string>;
}

class History {
  readonly told: string[] = [];
  applied = 0;
  refused = 0;
  readonly #ledger: Ledger;
  readonly #sites: Record<Cluster, VmSite>;

  constructor(
    private readonly lab: Lab,
    private readonly files: Record<Cluster, FileModel>,
    private readonly choose: Choose,
  ) {
    this.#ledger = new Ledger(lab.proxmox.pve.db);
    this.#sites = {
      one: new VmSite(lab, configOf(fileText(files.one)), 'secrets-of-one'),
      other: new VmSite(lab, configOf(fileText(files.other)), 'secrets-of-other'),
    };
  }

  async step(wrong: string[], number: number): Promise<void> {
    // Both are there before anything happens to them.
    const actor: Party =
      number === 0 ? 'one' : number === 1 ? 'other' : this.choose(['one', 'one', 'other', 'other', 'person']);
    const client = this.#sites.one.connect();
    try {
      const { what, named } =
        actor === 'person' ? await this.#person(client) : await this.#cluster(actor, client, number < 2);
      this.told.push(`${actor}: ${what}`);
      wrong.push(...this.#ledger.check(actor, named ?? new Set()));
    } finally {
      await client.close();
    }
  }

  /** The person takes everything away again; then both clusters come to what their files ask for. */
  async settle(wrong: string[]): Promise<void> {
    const client = this.#sites.one.connect();
    for (const vmid of this.#ledger.vmsOf('person')) await this.#removeVm(client, vmid);
    wrong.push(...this.#ledger.check('person', new Set()));
    for (const cluster of ['one', 'other'] as const) {
      this.files[cluster].vmid = HOME[cluster];
      // Nothing is asked of disks that are larger already.
      await this.#apply(cluster, client);
      wrong.push(...this.#ledger.check(cluster, new Set()));
    }
    await client.close();
  }

  async #cluster(cluster: Cluster, client: ProxmoxClient, first: boolean): Promise<Done> {
    const kinds = [
      'apply',
      'edit',
      'edit',
      'edit',
      'cut',
      'destroy',
      'delete-data',
      'delete',
      'old',
      'move',
    ] as const;
    const kind = first ? 'apply' : this.choose(kinds);
    switch (kind) {
      case 'apply':
        return { what: await this.#apply(cluster, client) };
      case 'edit': {
        const change = edit(this.files[cluster], this.choose);
        return { what: `${change}, ${await this.#apply(cluster, client)}` };
      }
      case 'cut': {
        const change = edit(this.files[cluster], this.choose);
        return { what: `${change}, ${await this.#cutOff(cluster)}` };
      }
      case 'destroy':
        return this.#destroy(cluster, client, false);
      case 'delete-data':
        return this.#destroy(cluster, client, true);
      case 'delete':
        return this.#deleteVolume(cluster, client);
      case 'old':
        await makeTagsOld(client, this.files[cluster].cluster, (vmid) =>
          this.#ledger.vmsOf(cluster).includes(vmid),
        );
        return { what: 'as version 0.1.0 made it' };
      case 'move': {
        // Onto the ids of the neighbour, and back by the next one.
        const { vmid } = this.files[cluster];
        const away = HOME[cluster === 'one' ? 'other' : 'one'];
        this.files[cluster].vmid = vmid === HOME[cluster] ? away : HOME[cluster];
        const what = `vmids from ${this.files[cluster].vmid} on, ${await this.#apply(cluster, client)}`;
        this.files[cluster].vmid = HOME[cluster];
        return { what };
      }
    }
  }

  #site(cluster: Cluster): VmSite {
    const site = this.#sites[cluster];
    site.use(fileText(this.files[cluster]));
    return site;
  }

  async #apply(cluster: Cluster, client: ProxmoxClient): Promise<string> {
    const site = this.#site(cluster);
    return this.#run(site, await site.plan(client), client);
  }

  async #run(site: VmSite, plan: Plan, _client: ProxmoxClient, named?: ReadonlySet<string>): Promise<string> {
    if (plan.steps.length === 0) {
      if (plan.problems.length > 0) this.refused += 1;
      return plan.problems.length > 0
        ? `refused (${plan.problems.map(({ code }) => code).join(', ')})`
        : 'nothing to do';
    }
    const connection = site.connect();
    try {
      const { result } = await site.apply(connection, {
        plan,
        ...(named && { scope: { mayLose: named } }),
      });
      this.applied += 1;
      return result.outcome;
    } catch (error) {
      // The old pool of `home` with env `lock` is the old lock of `home`.
      if (!(error instanceof LockError)) throw error;
      this.refused += 1;
      return 'refused (locked)';
    } finally {
      await connection.close();
    }
  }

  /** The client is gone in the middle; what Proxmox was asked for comes to its end. */
  async #cutOff(cluster: Cluster): Promise<string> {
    const site = this.#site(cluster);
    const after = this.choose([10, 20, 30, 45, 60, 80]);
    const stop = new AbortController();
    let sent = 0;
    const cut = site.connect({
      signal: stop.signal,
      retry: { attempts: 1, baseMs: 1, maxMs: 1 },
      onRequest: () => {
        sent += 1;
        if (sent === after) stop.abort(new Error('cut'));
      },
    });
    const outcome = await site.apply(cut, { runId: 'cut' }).then(
      ({ result }) => `not cut: ${result.outcome}`,
      () => `cut off at request ${after}`,
    );
    await cut.close().catch(() => undefined);
    await this.lab.clock.sleep(300_000);
    return outcome;
  }

  async #destroy(cluster: Cluster, client: ProxmoxClient, deleteData: boolean): Promise<Done> {
    const site = this.#site(cluster);
    const plan = planDestroy(site.design, await observe(client, site.design), { deleteData });
    const named = deleteData ? volumesLost(plan) : undefined;
    const foreign = [...(named ?? [])].filter((volid) => !this.#isOwn(cluster, volid));
    if (foreign.length > 0) return { what: `destroy names ${foreign.join(', ')}`, named: new Set() };
    const outcome = await this.#run(site, plan, client, named);
    return { what: `destroy${deleteData ? ' with its data' : ''}: ${outcome}`, ...(named && { named }) };
  }

  #isOwn(cluster: Cluster, volid: string): boolean {
    return [`volume ${HOST}/${volid}`, `volume ${volid}`].some(
      (thing) => this.#ledger.makerOf(thing) === cluster,
    );
  }

  async #deleteVolume(cluster: Cluster, client: ProxmoxClient): Promise<Done> {
    const site = this.#site(cluster);
    const observed = await observe(client, site.design);
    const parked = listVolumes(site.design, observed).filter((row) => row.state === 'parked');
    if (parked.length === 0) return { what: 'no volume to delete' };
    const { name } = this.choose(parked);
    const plan = planVolumeDelete(site.design, observed, name);
    const named = volumesLost(plan);
    return { what: `delete ${name}: ${await this.#run(site, plan, client, named)}`, named };
  }

  async #person(client: ProxmoxClient): Promise<Done> {
    const kind = this.choose(['vm', 'vm', 'clone', 'volume', 'remove'] as const);
    const { one, other } = this.files;
    if (kind === 'vm') {
      const vmid = this.choose([142, 152, 153, 241, 252, 1520, 2520, 300, 3000]);
      const tags = this.choose([
        [],
        [clusterTag(one.cluster)],
        [legacyTag(other.cluster)],
        [clusterTag(other.cluster), DATA_TAG],
        [legacyTag(one.cluster), DATA_TAG],
      ]);
      const description = this.choose([
        'mine',
        secretsNote('secrets-of-one'),
        secretsNote('secrets-of-other'),
      ]);
      if (this.lab.proxmox.pve.db.vms.has(String(vmid))) return { what: `VM ${vmid} is taken` };
      await client.runTask(() =>
        client.createVm(HOST, vmid, {
          name: 'mine',
          memory: 512,
          scsi0: `${STORAGE}:1`,
          virtio1: `${STORAGE}:1`,
          description,
          ...(tags.length > 0 && { tags: tags.join(';') }),
        }),
      );
      return { what: `VM ${vmid} with ${tags.join(';') || 'no tag'} and '${description}'` };
    }
    if (kind === 'clone') {
      const all = [...this.#ledger.vmsOf('one'), ...this.#ledger.vmsOf('other')];
      const vms = all.filter((vmid) => vmid > 999);
      const newid = this.choose([301, 302, 1530]);
      if (vms.length === 0 || this.lab.proxmox.pve.db.vms.has(String(newid))) return { what: 'no clone' };
      const vmid = this.choose(vms);
      await client.runTask(() => client.cloneVm(HOST, vmid, { newid, full: true }));
      return { what: `clone of ${vmid} as ${newid}` };
    }
    if (kind === 'volume') {
      const vmid = parseVmid(9999) as Vmid;
      const cluster = this.choose([one.cluster, other.cluster]);
      const name = legacyCsiVolumeName(cluster, vmid, this.choose(['pv-data', 'pv-data-old', 'dev-pv-data']));
      const there = await client.storageContent(HOST, STORAGE, { vmid });
      if (there.some(({ volid }) => volid === `${STORAGE}:${name}`)) return { what: `${name} is there` };
      await client.allocVolume(HOST, STORAGE, { vmid, filename: name, size: GIB });
      return { what: `volume ${name}` };
    }
    const [vmid] = this.#ledger.vmsOf('person');
    if (vmid !== undefined) await this.#removeVm(client, vmid);
    return { what: `remove VM ${vmid ?? '(none)'}` };
  }

  async #removeVm(client: ProxmoxClient, vmid: number): Promise<void> {
    await client.updateVm(HOST, vmid, { set: { protection: 0 } });
    await client.runTask(() => client.destroyVm(HOST, vmid));
  }
}

/** A small generator of our own, so that a seed means the same history for ever. */
function chooser(seed: number): Choose {
  let state = seed >>> 0;
  return (of) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    const chosen = of[((mixed ^ (mixed >>> 14)) >>> 0) % of.length];
    if (chosen === undefined) throw new Error('nothing to choose from');
    return chosen;
  };
}
