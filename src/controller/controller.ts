/**
 * Room `controller`: the session under a reconciler, on Kubernetes.
 * May touch: the Kubernetes API of the fleet, a folder for files of clusters, two ports; Proxmox and machines through sessions.
 *
 * The loop of one replica: watches wake keys, keys are reconciled one at a time each, and all of it stops when asked to.
 */
import { isKubernetesError } from '../clients/kubernetes/index.js';
import { OxherdError } from '../model/error.js';
import type { ControllerContext } from './controller-context.js';
import { Replicas } from './queue/replicas.js';
import { FleetWatch } from './queue/watch-fleet.js';
import { WorkQueue } from './queue/work-queue.js';
import { reconcileCluster } from './reconcile/reconcile-cluster.js';
import { reconcileMaintenance } from './reconcile/reconcile-maintenance.js';
import { reconcileSite } from './reconcile/reconcile-site.js';
import { SitePoll } from './sites/site-poll.js';

interface RunningController {
  readonly ready: () => boolean;
  /** The loop turns. */
  readonly alive: () => boolean;
  /** Settles when the signal was aborted and everything has come to its end, or throws why it cannot go on. */
  readonly ended: Promise<void>;
}

const WORKERS = 16;
/** At most so long between two looks at the queue and at the other replicas. */
const TICK_MS = 5_000;
const STUCK_MS = 60_000;
/** Longer pauses end up to a tenth early: what started at the same time does not stay together. */
const SPREAD_MS = 60_000;
/** So many replicas share the limits of sites until they are counted. */
const AT_START = 3;
/** Another cluster of the same site is in work. */
const SITE_BUSY_MS = 500;

export function startController(context: ControllerContext, workers = WORKERS): RunningController {
  const { time, signal } = context;
  const loop = new Loop(context, workers);
  const watching = loop.watch.run(context.namespaces);
  const ended = Promise.all([loop.run(), watching]).then(() => undefined);
  return {
    ready: () => loop.watch.synced && !signal.aborted,
    alive: () => time.elapsed() - loop.lastTurn < STUCK_MS,
    ended,
  };
}

class Loop {
  readonly queue: WorkQueue;
  readonly watch: FleetWatch;
  readonly #replicas: Replicas;
  readonly #perSite = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  readonly #poll: SitePoll;
  /** Sites that are being asked. */
  readonly #asking = new Map<string, Promise<void>>();
  #wake: () => void = () => {};
  #lookedAtReplicas = Number.NEGATIVE_INFINITY;
  #knowsReplicas = false;
  #lookedAtSites = Number.NEGATIVE_INFINITY;
  lastTurn: number;

  constructor(
    private readonly context: ControllerContext,
    private readonly workers: number,
  ) {
    const { time } = context;
    this.queue = new WorkQueue({ now: () => time.elapsed(), random: Math.random });
    this.#replicas = new Replicas(context);
    this.watch = new FleetWatch(context, (key) => this.#add(key));
    this.#poll = new SitePoll(
      context,
      (key) => this.#add(key),
      (key) => this.#replicas.owns(key),
    );
    this.lastTurn = time.elapsed();
  }

  async run(): Promise<void> {
    const { signal, time, metrics } = this.context;
    while (!signal.aborted) {
      this.lastTurn = time.elapsed();
      await this.#lookAtReplicas();
      while (this.#running.size < this.workers) {
        const key = this.queue.take();
        if (key === undefined) break;
        this.#start(key);
      }
      this.#askSites();
      metrics.set('oxherd_queue_depth', this.queue.depth);
      metrics.set('oxherd_working', this.queue.working);
      await this.#pause();
    }
    await Promise.all([...this.#running, ...this.#asking.values()]);
    await this.#replicas.leave();
  }

  #add(key: string): void {
    this.queue.add(key);
    this.#wake();
  }

  #start(key: string): void {
    // Another replica tries it; when that one is gone, all keys are looked at again.
    if (!this.#replicas.owns(key)) {
      this.queue.done(key);
      return;
    }
    const site = this.watch.siteOf(key);
    const busy = site === undefined ? 0 : (this.#perSite.get(site) ?? 0);
    if (site !== undefined && busy >= this.watch.limitOf(site)) {
      this.queue.done(key, SITE_BUSY_MS);
      return;
    }
    if (site !== undefined) this.#perSite.set(site, busy + 1);
    const work = this.#work(key).finally(() => {
      if (site !== undefined) this.#perSite.set(site, (this.#perSite.get(site) ?? 1) - 1);
      this.#running.delete(work);
      this.#wake();
    });
    this.#running.add(work);
  }

  async #work(key: string): Promise<void> {
    const { time, metrics, log, signal } = this.context;
    const begun = time.elapsed();
    try {
      const again = await reconcileKey(this.context, key);
      this.queue.done(
        key,
        again !== undefined && again > SPREAD_MS ? again * (1 - Math.random() / 10) : again,
      );
      metrics.add('oxherd_reconciles_total', { end: 'done' });
    } catch (error) {
      this.queue.failed(key);
      // Changed since it was read, as when replicas start together: it is tried again.
      const conflict = isKubernetesError(error, 'kubernetes.conflict');
      metrics.add('oxherd_reconciles_total', { end: conflict ? 'conflict' : 'failed' });
      if (conflict) log.info('the object was changed in the meantime', { key });
      else if (!signal.aborted)
        log.error('reconciliation failed', { key, error: OxherdError.from(error).message });
    }
    metrics.observe('oxherd_reconcile_seconds', (time.elapsed() - begun) / 1_000, { kind: kindOf(key) });
  }

  #askSites(): void {
    const { time } = this.context;
    if (!this.watch.synced || time.elapsed() - this.#lookedAtSites < TICK_MS) return;
    this.#lookedAtSites = time.elapsed();
    for (const [site, clusters] of this.watch.sites) {
      if (this.#asking.has(site) || !this.#poll.isDue(site)) continue;
      const asking = this.#poll.ask(site, clusters).finally(() => this.#asking.delete(site));
      this.#asking.set(site, asking);
    }
  }

  async #lookAtReplicas(): Promise<void> {
    const { time, log } = this.context;
    if (time.elapsed() - this.#lookedAtReplicas < TICK_MS) return;
    this.#lookedAtReplicas = time.elapsed();
    try {
      const changed = await this.#replicas.refresh();
      // Replicas that start at the same time see each other at the second look.
      const others = this.#knowsReplicas
        ? this.#replicas.alive.length
        : Math.max(AT_START, this.#replicas.alive.length);
      this.context.sites?.shareAmong(others);
      this.#knowsReplicas = true;
      if (!changed) return;
      log.info('replicas', { alive: this.#replicas.alive });
      for (const key of this.watch.keys) this.queue.add(key);
    } catch (error) {
      log.error('the replicas could not be read', { error: OxherdError.from(error).message });
    }
  }

  async #pause(): Promise<void> {
    const { time, signal } = this.context;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const due = this.#running.size >= this.workers ? TICK_MS : (this.queue.wait() ?? TICK_MS);
    const stop = AbortSignal.any([signal, woken.signal]);
    if (due > 0) await time.sleep(Math.min(due, TICK_MS), stop).catch(() => undefined);
  }
}

function kindOf(key: string): string {
  return key.startsWith('//') ? 'site' : key.startsWith('/') ? 'maintenance' : 'cluster';
}

async function reconcileKey(context: ControllerContext, key: string): Promise<number | undefined> {
  if (key.startsWith('//')) return reconcileSite(context, key.slice(2));
  const slash = key.indexOf('/');
  const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
  return namespace === '' ? reconcileMaintenance(context, name) : reconcileCluster(context, namespace, name);
}
