/** A run that is cut off, or meets a fault, at its k-th request; and a second one that must set everything right. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import type { FaultName } from '../../src/lab/faults.js';
import { folderState } from '../../src/lab/state.js';
import { remembered, type Series, series } from './shard.js';
import { configOf, VmSite } from './vm-site.js';

export interface Scenario {
  /** The cluster that is there before; absent: nothing is. */
  readonly start?: string;
  readonly prepare?: (site: VmSite, client: ProxmoxConnection) => Promise<unknown>;
  /** The file of the run that is cut off, and of the one after it. */
  readonly config: string;
  /** Default: `apply`. */
  readonly run?: (site: VmSite, client: ProxmoxConnection) => Promise<unknown>;
  /** More that must hold in the end. */
  readonly check?: (site: VmSite) => string[];
}

export interface CrashOutcome {
  /** False: the run had fewer requests, so it was not cut off. */
  readonly cut: boolean;
  readonly problems: readonly string[];
}

/** `before`: the request is never sent. `after`: it is carried out, and its answer never read. */
export type Cut = 'before' | 'after';

/** One scenario, many times from the same beginning. */
export class Rehearsal {
  #begin: string | undefined;

  constructor(private readonly scenario: Scenario) {}

  /** The lab lives on; the client is gone in the middle of whatever it did. */
  async cutOff(requests: number, cut: Cut): Promise<CrashOutcome> {
    return this.#twice(async (site) => {
      if (cut === 'before') return runUntil(site, this.scenario, (sent) => sent > requests);
      site.lab.core.faults.set({ name: 'drop-after', subject: '', countdown: requests });
      const isPending = () => site.lab.core.faults.list().some((fault) => fault.name === 'drop-after');
      await runUntil(site, this.scenario, () => !isPending());
      const struck = !isPending();
      site.lab.core.faults.clear('drop-after');
      return struck;
    });
  }

  /** The fault strikes once, at its n-th occasion; the run ends by itself. */
  async withFault(name: FaultName, occasion: number): Promise<CrashOutcome> {
    return this.#twice(async (site) => {
      site.lab.core.faults.set({ name, subject: '', countdown: occasion });
      const client = site.connect(name === 'api-timeout' ? { requestTimeoutMs: 500 } : {});
      const run = this.scenario.run ?? ((at, through) => at.apply(through));
      await run(site, client).catch(() => undefined);
      const struck = !site.lab.core.faults.list().some((fault) => fault.name === name);
      site.lab.core.faults.clear(name);
      if (name === 'task-hangs') await stopTasks(site, client);
      await client.close();
      return struck;
    });
  }

  /** Something is gone from the k-th request on, until the run has ended by itself. */
  async withLoss(name: 'host-down' | 'no-quorum', requests: number): Promise<CrashOutcome> {
    return this.#twice(async (site) => {
      let sent = 0;
      const client = site.connect({
        onRequest: () => {
          sent += 1;
          if (sent <= requests) return;
          site.lab.core.faults.set({ name, subject: name === 'host-down' ? 'pve2' : '', countdown: null });
        },
      });
      const run = this.scenario.run ?? ((at, through) => at.apply(through));
      await run(site, client).catch(() => undefined);
      site.lab.core.faults.clear(name);
      await client.close();
      return sent > requests;
    });
  }

  dispose(): void {
    if (this.#begin) rmSync(this.#begin, { recursive: true, force: true });
  }

  async #twice(first: (site: VmSite) => Promise<boolean>): Promise<CrashOutcome> {
    const { site, folder } = await this.#open();
    try {
      const cut = await first(site);
      const client = site.connect();
      const second = await site.apply(client, { runId: 'second' });
      const third = await site.plan(client);
      await client.close();
      const failed = second.events.flatMap((event) =>
        event.type === 'step-failed' ? [`${event.step}: ${event.error.message}`] : [],
      );
      const problems = [
        ...failed,
        ...third.problems.map((problem) => problem.message),
        ...third.steps.map((step) => `third plan: ${step.id} (${step.reasons.join('; ')})`),
        ...site.problems(),
        ...(this.scenario.check?.(site) ?? []),
      ];
      return { cut, problems };
    } finally {
      await site.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }

  async #open(): Promise<{ site: VmSite; folder: string }> {
    this.#begin ??= await this.#build();
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-crash-'));
    cpSync(this.#begin, folder, { recursive: true });
    const site = await VmSite.start(configOf(this.scenario.config), { state: await folderState(folder) });
    return { site, folder };
  }

  async #build(): Promise<string> {
    const { start, prepare, config } = this.scenario;
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-crash-'));
    const site = await VmSite.start(configOf(start ?? config), { state: await folderState(folder) });
    const client = site.connect();
    if (start !== undefined) await site.apply(client);
    await prepare?.(site, client);
    await client.close();
    await site.stop();
    return folder;
  }
}

/** What a person does about a task that never ends: stop it, and remove the half-made VM it leaves locked. */
async function stopTasks(site: VmSite, client: ProxmoxConnection): Promise<void> {
  const { vms, volumes, hosts } = site.lab.proxmox.pve.db;
  for (const host of hosts.values()) {
    for (const task of await client.activeTasks(host.name)) await client.stopTask(task);
  }
  for (const [id, vm] of [...vms.entries()]) {
    if (vm.config.lock !== 'create') continue;
    vms.delete(id);
    for (const [key, volume] of [...volumes.entries()]) {
      if (volume.owner === vm.vmid) volumes.delete(key);
    }
  }
}

async function runUntil(
  site: VmSite,
  scenario: Scenario,
  isCut: (sent: number) => boolean,
): Promise<boolean> {
  let sent = 0;
  let cut = (): void => {};
  const wasCut = new Promise<boolean>((resolve) => {
    cut = () => resolve(true);
  });
  const stop = new AbortController();
  const client = site.connect({
    signal: stop.signal,
    retry: { attempts: 1, baseMs: 1, maxMs: 1 },
    onRequest: () => {
      sent += 1;
      if (!isCut(sent)) return;
      stop.abort(new Error('cut'));
      void client.close().catch(() => undefined);
      cut();
    },
  });
  const run = (scenario.run ?? ((at, through) => at.apply(through)))(site, client).then(
    () => false,
    () => false,
  );
  const result = await Promise.race([wasCut, run]);
  await client.close().catch(() => undefined);
  return result;
}

export interface Swept {
  readonly wrong: string[];
  readonly points: number;
  /** About as many as there are: this tier takes one in so many. */
  readonly inAll: number;
}

/** Cuts the scenario off at every point of the series, until it has no more requests. */
export async function cutOffAll(
  rehearsal: Rehearsal,
  what: string,
  cuts: readonly Cut[] = ['before', 'after'],
  points: Series = series({}),
): Promise<Swept> {
  return sweepPoints(what, cuts, points, (cut, at) => rehearsal.cutOff(at, cut));
}

/** Lets the fault strike once at each of its occasions. */
export async function faultAll(
  rehearsal: Rehearsal,
  what: string,
  name: FaultName,
  points: Series = series({}),
): Promise<Swept> {
  return sweepPoints(what, [name], points, (_, at) => rehearsal.withFault(name, at));
}

/** Loses a host, or the quorum of all, before each request. */
export async function lossAll(
  rehearsal: Rehearsal,
  what: string,
  name: 'host-down' | 'no-quorum',
  points: Series = series({}),
): Promise<Swept> {
  return sweepPoints(what, [name], points, (_, at) => rehearsal.withLoss(name, at));
}

/** Runs the k-th point of each kind for every k of the series, until there is none. */
export async function sweepPoints<T extends string>(
  what: string,
  kinds: readonly T[],
  { first, step }: Series,
  run: (kind: T, at: number) => Promise<CrashOutcome>,
): Promise<Swept> {
  const wrong: string[] = [];
  let points = 0;
  for (const kind of kinds) {
    for (let at = first; ; at += step) {
      let more = true;
      const problems = await remembered(`${what}: ${kind} ${at}`, async () => {
        const outcome = await run(kind, at);
        more = outcome.cut;
        // The last one is run each time: it says that there are no more.
        return outcome.cut ? outcome.problems : [...outcome.problems, LAST];
      });
      const bad = problems.filter((problem) => problem !== LAST);
      if (bad.length > 0) wrong.push(`${kind} ${at}: ${bad.join('; ')}`);
      if (!more) break;
      points += 1;
    }
  }
  return { wrong, points, inAll: points * step };
}
const LAST = 'no more points';
