/** Watches of everything that a reconciliation depends on; each change wakes the clusters that it concerns. */
import { CONFIG_MAPS, type KubernetesObject, type Resource } from '../../clients/kubernetes/index.js';
import { OxherdError } from '../../model/error.js';
import { APPROVALS, CLUSTERS, type FleetObject, MAINTENANCES, RECONCILE_AT, SITES } from '../api/group.js';
import { readApproval, readCluster, readSite } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';

/** The server ends each stream after this; a silent one is given up a little later than a bookmark should have come. */
const STREAM_SECONDS = 300;
const SILENCE_MS = 150_000;

interface KnownCluster {
  readonly key: string;
  readonly site: string;
  readonly configMap: string | undefined;
  /** Changes with what a reconciliation reads, not with what it writes. */
  readonly cause: string;
}

export class FleetWatch {
  readonly #clusters = new Map<string, KnownCluster>();
  readonly #maintenances = new Set<string>();
  /** Site → clusters that may be in work at a time. */
  readonly #limits = new Map<string, number>();
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
    return [...this.#clusters.keys(), ...this.#maintenances];
  }

  siteOf(key: string): string | undefined {
    return this.#clusters.get(key)?.site;
  }

  limitOf(site: string): number {
    return this.#limits.get(site) ?? 1;
  }

  /** Returns when the signal is aborted. */
  async run(namespaces: readonly string[]): Promise<void> {
    const scopes = namespaces.length === 0 ? [undefined] : namespaces;
    const watches = [
      ...scopes.flatMap((namespace) => [
        this.#watch(CLUSTERS, namespace, (object, gone) => this.#cluster(object, gone)),
        this.#watch(APPROVALS, namespace, (object) => this.#approval(object)),
        this.#watch(CONFIG_MAPS, namespace, (object) => this.#configMap(object.metadata)),
      ]),
      // Approvals of maintenance are in the controller's own namespace.
      ...(namespaces.length === 0 || namespaces.includes(this.context.namespace)
        ? []
        : [this.#watch(APPROVALS, this.context.namespace, (object) => this.#approval(object))]),
      this.#watch(SITES, undefined, (object) => this.#site(object)),
      this.#watch(MAINTENANCES, undefined, (object, gone) => this.#maintenance(object, gone)),
    ];
    this.#expected = watches.length;
    await Promise.all(watches.map((watch) => watch()));
  }

  #watch<T>(resource: Resource<T>, namespace: string | undefined, see: (object: T, gone: boolean) => void) {
    const name = `${resource.plural}/${namespace ?? ''}`;
    const { client, signal, log, metrics } = this.context;
    return async (): Promise<void> => {
      const options = {
        signal,
        timeoutSeconds: STREAM_SECONDS,
        silenceMs: SILENCE_MS,
        ...(namespace !== undefined && { namespace }),
      };
      try {
        for await (const event of client.watch(resource, options)) {
          if (event.type !== 'LISTED') {
            see(event.object, event.type === 'DELETED');
            continue;
          }
          if (this.#listed.has(name)) metrics.add('oxherd_watch_restarts_total', { kind: resource.kind });
          for (const item of event.items) see(item, false);
          this.#listed.add(name);
        }
      } catch (error) {
        log.error('a watch ended', { kind: resource.kind, error: OxherdError.from(error).message });
        throw error;
      }
    };
  }

  #cluster(object: FleetObject, gone: boolean): void {
    const { namespace = '', name } = object.metadata;
    const key = clusterKey(namespace, name);
    if (gone) {
      this.#clusters.delete(key);
      this.wake(key);
      return;
    }
    const { spec, generation, deleted } = readCluster(object);
    const cause = `${generation} ${deleted} ${object.metadata.annotations?.[RECONCILE_AT] ?? ''}`;
    const known = this.#clusters.get(key);
    this.#clusters.set(key, { key, site: spec.siteRef.name, configMap: spec.source.configMap?.name, cause });
    if (known?.cause !== cause) this.wake(key);
  }

  #approval(object: FleetObject): void {
    const { namespace, spec } = readApproval(object);
    const key = clusterKey(namespace, spec.clusterRef.name);
    if (this.#clusters.has(key)) this.wake(key);
    for (const maintenance of this.#maintenances)
      if (maintenance === maintenanceKey(spec.clusterRef.name)) this.wake(maintenance);
  }

  #configMap({
    namespace = '',
    name = '',
  }: {
    readonly namespace?: string;
    readonly name?: string;
  } = {}): void {
    for (const { key, configMap } of this.#clusters.values())
      if (configMap === name && key.startsWith(`${namespace}/`)) this.wake(key);
  }

  #site(object: FleetObject): void {
    const { name, spec } = readSite(object);
    this.#limits.set(name, spec.limits.concurrentClusters);
    for (const { key, site } of this.#clusters.values()) if (site === name) this.wake(key);
  }

  #maintenance({ metadata }: KubernetesObject, gone: boolean): void {
    const key = maintenanceKey(metadata.name);
    if (gone) this.#maintenances.delete(key);
    else this.#maintenances.add(key);
    this.wake(key);
  }
}

function clusterKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** No namespace is empty. */
function maintenanceKey(name: string): string {
  return `/${name}`;
}
