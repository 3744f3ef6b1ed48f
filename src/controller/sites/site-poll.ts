/**
 * Between two observations each site is asked once for all its clusters; those whose VMs or hosts changed are looked at at once.
 * One replica asks; a cluster of another replica is woken through its status, which all of them watch.
 */
import { join } from 'node:path';
import { OxherdError } from '../../model/error.js';
import { CLUSTERS } from '../api/group.js';
import { readCluster } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { prepareAccess, readSiteResources } from '../reconcile/open-cluster.js';
import { timestamp } from '../reconcile/write-status.js';
import { changesBetween, type SiteSight, sightOf } from './site-changes.js';

/** A cluster as the watch knows it. */
export interface SiteCluster {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  /** Of its VMs; '': not observed yet. */
  readonly tag: string;
  readonly hosts: readonly string[];
  /** A run goes on: what changes is its own work. */
  readonly running: boolean;
}

const EVERY_MS = 30_000;
/** A site whose first clusters have configs that are not valid is asked through another one. */
const TRIES = 3;

export class SitePoll {
  readonly #sights = new Map<string, SiteSight>();
  readonly #last = new Map<string, number>();

  constructor(
    private readonly context: ControllerContext,
    private readonly wake: (key: string) => void,
    private readonly owns: (key: string) => boolean,
  ) {}

  /** Whether it is this replica's turn to ask the site. */
  isDue(site: string): boolean {
    if (!this.owns(`site/${site}`)) {
      // Another replica starts with a sight of its own, and so does this one when it is its turn again.
      this.#sights.delete(site);
      return false;
    }
    return this.context.time.elapsed() - (this.#last.get(site) ?? Number.NEGATIVE_INFINITY) >= EVERY_MS;
  }

  async ask(site: string, clusters: readonly SiteCluster[]): Promise<void> {
    const { log, metrics, time } = this.context;
    this.#last.set(site, time.elapsed());
    try {
      const sight = await this.#look(clusters);
      if (!sight) return;
      const before = this.#sights.get(site);
      this.#sights.set(site, sight);
      metrics.add('oxherd_site_polls_total', { site });
      if (!before) return;
      const { tags, hosts } = changesBetween(before, sight);
      for (const cluster of clusters)
        if (!cluster.running && (tags.has(cluster.tag) || cluster.hosts.some((host) => hosts.has(host))))
          await this.#changed(cluster);
    } catch (error) {
      // Whoever observes a cluster of it says so in its conditions.
      this.#sights.delete(site);
      log.error('a site could not be asked', { site, error: OxherdError.from(error).message });
    }
  }

  async #look(clusters: readonly SiteCluster[]): Promise<SiteSight | undefined> {
    const { client } = this.context;
    // Files of its own: a session of the same cluster may be at work.
    const context = { ...this.context, workFolder: join(this.context.workFolder, 'polls') };
    for (const { name, namespace } of clusters.slice(0, TRIES)) {
      const object = await client.get(CLUSTERS, name, namespace);
      if (!object || readCluster(object).spec.suspend) continue;
      const access = await prepareAccess(context, readCluster(object)).catch(() => undefined);
      if (access) return sightOf(await readSiteResources(context, access));
    }
    return undefined;
  }

  async #changed({ key, namespace, name }: SiteCluster): Promise<void> {
    const { client, log, time } = this.context;
    log.info('changed on its site', { namespace, name });
    if (this.owns(key)) {
      this.wake(key);
      return;
    }
    const status = { changedAt: timestamp(time.now()) };
    await client.patch(CLUSTERS, name, { status }, { kind: 'merge', namespace, subresource: 'status' });
  }
}
