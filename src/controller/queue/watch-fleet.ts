/** Watches of everything that a reconciliation depends on; each change wakes the clusters that it concerns. */
import { CONFIG_MAPS, type Resource } from '../../clients/kubernetes/index.js';
import { retryPause, type WatchEvent } from '../../clients/kubernetes/watch.js';
import { isMapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { APPROVALS, CLUSTERS, type FleetObject, MAINTENANCES, RECONCILE_AT, SITES } from '../api/group.js';
import {
  knownSite,
  readApproval,
  readCluster,
  readMaintenance,
  readSite,
  readStatus,
} from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import type { SiteCluster } from '../sites/site-poll.js';

/** The server ends each stream after this; a silent one is given up a little later than a bookmark should have come. */
const STREAM_SECONDS = 300;
const SILENCE_MS = 150_000;

interface KnownCluster extends SiteCluster {
  readonly site: string;
  readonly configMap: string | undefined;
  /** Changes with what a reconciliation reads, not with what it writes. */
  readonly cause: string;
}

export class FleetWatch {
  readonly #clusters = new Map<string, KnownCluster>();
  /** Key → what a reconciliation reads of it. */
  readonly #maintenances = new Map<string, string>();
  /** `limit`: clusters that may be in work at a time. */
  readonly #sites = new Map<string, { readonly limit: number; readonly cause: string }>();
  readonly #listed = new Set<string>();
  #expected = 0;

  constructor(
    private readonly context: ControllerContext,
    private readonly wake: (key: string) => void,
  ) {}

  /** Everything was listed once. */
  get synced(): boolean {
    return this.#expected > 0 && this.#listed.size === this.#expected;
  }

  get keys(): readonly string[] {
    return [...this.#clusters.keys(), ...this.#maintenances.keys(), ...[...this.#sites.keys()].map(siteKey)];
  }

  /** Sites with their clusters. */
  get sites(): ReadonlyMap<string, readonly SiteCluster[]> {
    const sites = new Map<string, SiteCluster[]>();
    for (const cluster of this.#clusters.values()) {
      const others = sites.get(cluster.site);
      if (others) others.push(cluster);
      else sites.set(cluster.site, [cluster]);
    }
    return sites;
  }

  siteOf(key: string): string | undefined {
    return this.#clusters.get(key)?.site;
  }

  limitOf(site: string): number {
    return this.#sites.get(site)?.limit ?? 1;
  }

  /** Returns when the signal is aborted. */
  async run(namespaces: readonly string[]): Promise<void> {
    const scopes = namespaces.length === 0 ? [undefined] : namespaces;
    const watches = [
      ...scopes.flatMap((namespace) => [
        this.#watch(
          CLUSTERS,
          namespace,
          (object) => this.#cluster(object),
          (at) => this.#clusterGone(at),
        ),
        this.#watch(APPROVALS, namespace, (object) => this.#approval(object)),
        this.#watch(
          CONFIG_MAPS,
          namespace,
          (object) => this.#configMap(identityOf(object)),
          (at) => this.#configMap(at),
        ),
      ]),
      // Approvals of maintenance are in the controller's own namespace.
      ...(namespaces.length === 0 || namespaces.includes(this.context.namespace)
        ? []
        : [this.#watch(APPROVALS, this.context.namespace, (object) => this.#approval(object))]),
      this.#watch(
        SITES,
        undefined,
        (object) => this.#site(object),
        ({ name }) => this.#siteGone(name),
      ),
      this.#watch(
        MAINTENANCES,
        undefined,
        (object) => this.#maintenance(object),
        ({ name }) => this.#maintenanceGone(name),
      ),
    ];
    this.#expected = watches.length;
    await Promise.all(watches.map((watch) => watch()));
  }

  /** Until the signal is aborted: a server that refuses us now, as one does that is starting, is asked again. */
  #watch<T>(
    resource: Resource<T>,
    namespace: string | undefined,
    see: (object: T) => void,
    gone: (at: Identity) => void = () => {},
  ) {
    const name = `${resource.plural}/${namespace ?? ''}`;
    const { signal, log, time } = this.context;
    const known = new Map<string, Identity>();
    return async (): Promise<void> => {
      for (let failures = 0; !signal.aborted; failures += 1) {
        try {
          for await (const event of this.#events(resource, namespace)) {
            failures = 0;
            if (event.type !== 'LISTED') this.#tell(event.type === 'DELETED', event.object, known, see, gone);
            // Taken out of the event, which stays until the next one comes: that may be hours.
            else this.#relist(event.items.splice(0), known, see, gone);
            this.#listed.add(name);
          }
        } catch (error) {
          this.#listed.delete(name);
          log.error('a watch ended', { kind: resource.kind, error: OxherdError.from(error).message });
          await time.sleep(retryPause(failures, Math.random), signal).catch(() => undefined);
        }
      }
    };
  }

  async *#events<T>(resource: Resource<T>, namespace: string | undefined): AsyncGenerator<WatchEvent<T>> {
    const { client, signal, metrics } = this.context;
    const at = namespace === undefined ? {} : { namespace };
    const limits = { timeoutSeconds: STREAM_SECONDS, silenceMs: SILENCE_MS };
    let first = true;
    for await (const event of client.watch(resource, { signal, ...limits, ...at })) {
      if (event.type === 'LISTED' && !first)
        metrics.add('oxherd_watch_restarts_total', { kind: resource.kind });
      first = false;
      yield event;
    }
  }

  /** What was deleted while no watch ran is missing from the list. */
  #relist<T>(
    items: readonly T[],
    known: Map<string, Identity>,
    see: (object: T) => void,
    gone: (at: Identity) => void,
  ): void {
    const listed = new Set(items.map((item) => keyOf(identityOf(item))));
    for (const [key, at] of known)
      if (!listed.has(key)) {
        known.delete(key);
        gone(at);
      }
    for (const item of items) this.#tell(false, item, known, see, gone);
  }

  /** An object that cannot be read stops no other. */
  #tell<T>(
    isGone: boolean,
    object: T,
    known: Map<string, Identity>,
    see: (object: T) => void,
    gone: (at: Identity) => void,
  ): void {
    const at = identityOf(object);
    if (isGone) known.delete(keyOf(at));
    else known.set(keyOf(at), at);
    try {
      if (isGone) gone(at);
      else see(object);
    } catch (error) {
      this.context.log.error('an object cannot be read', { ...at, error: OxherdError.from(error).message });
    }
  }

  #clusterGone({ namespace, name }: Identity): void {
    const key = clusterKey(namespace, name);
    this.#clusters.delete(key);
    this.wake(key);
  }

  #cluster(object: FleetObject): void {
    const { namespace = '', name } = object.metadata;
    const key = clusterKey(namespace, name);
    const { spec, generation, deleted } = readCluster(object);
    const { tag, hosts, run, changedAt } = readStatus(object);
    const asked = object.metadata.annotations?.[RECONCILE_AT] ?? '';
    const cause = `${object.metadata.uid} ${generation} ${deleted} ${asked} ${changedAt}`;
    const known = this.#clusters.get(key);
    const place = { key, namespace, name, site: spec.siteRef.name, configMap: spec.source.configMap?.name };
    this.#clusters.set(key, { ...place, tag, hosts, running: run !== undefined, cause });
    if (known?.cause !== cause) this.wake(key);
  }

  #approval(object: FleetObject): void {
    const { namespace, spec } = readApproval(object);
    const key = clusterKey(namespace, spec.clusterRef.name);
    if (this.#clusters.has(key)) this.wake(key);
    for (const maintenance of this.#maintenances.keys())
      if (maintenance === maintenanceKey(spec.clusterRef.name)) this.wake(maintenance);
  }

  #configMap({ namespace, name }: Identity): void {
    for (const { key, configMap } of this.#clusters.values())
      if (configMap === name && key.startsWith(`${namespace}/`)) this.wake(key);
  }

  #site(object: FleetObject): void {
    const site = readSite(object);
    const { name, spec, uid, generation } = site;
    const cause = `${uid} ${generation}`;
    const known = this.#sites.get(name);
    // Whoever waits for one that does not answer keeps no place from others.
    const limit = knownSite(site).reachable ? spec.limits.concurrentClusters : 1;
    this.#sites.set(name, { limit, cause });
    if (known?.cause !== cause) this.#wakeSite(name);
  }

  #siteGone(name: string): void {
    this.#sites.delete(name);
    this.#wakeSite(name);
  }

  /** Its clusters; and itself, to see whether it answers. */
  #wakeSite(name: string): void {
    this.wake(siteKey(name));
    for (const { key, site } of this.#clusters.values()) if (site === name) this.wake(key);
  }

  #maintenance(object: FleetObject): void {
    const { name, uid, generation, deleted } = readMaintenance(object);
    const key = maintenanceKey(name);
    const cause = `${uid} ${generation} ${deleted}`;
    if (this.#maintenances.get(key) === cause) return;
    this.#maintenances.set(key, cause);
    this.wake(key);
  }

  #maintenanceGone(name: string): void {
    this.#maintenances.delete(maintenanceKey(name));
    this.wake(maintenanceKey(name));
  }
}

interface Identity {
  /** '': it is in none. */
  readonly namespace: string;
  readonly name: string;
}

function identityOf(object: unknown): Identity {
  const metadata = isMapping(object) && isMapping(object.metadata) ? object.metadata : {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return { namespace: text(metadata.namespace), name: text(metadata.name) };
}

function keyOf({ namespace, name }: Identity): string {
  return `${namespace}/${name}`;
}

function clusterKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** No namespace is empty. */
function maintenanceKey(name: string): string {
  return `/${name}`;
}

/** No name is empty. */
function siteKey(name: string): string {
  return `//${name}`;
}
