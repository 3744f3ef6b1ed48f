import type { Clock } from '../../model/clock.js';
import type { WriteGate } from '../../model/write-gate.js';
import type { ConnectionOptions } from './connection.js';
import type { KubernetesObject, Resource } from './resources.js';
import type { WatchEvent } from './watch.js';

export const FIELD_MANAGER = 'oxherd';

export interface KubernetesClientOptions extends ConnectionOptions {
  readonly clock: Clock;
}

export interface ListOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface WatchOptions extends ListOptions {
  readonly signal?: AbortSignal;
  /** The server ends each stream after so long, and the next one is opened: an API server that was restarted gets its share. */
  readonly timeoutSeconds?: number;
  /** A stream that is silent for so long, by the wall, is opened again. */
  readonly silenceMs?: number;
}

export interface ApplyOptions {
  /** Takes fields over from other managers. */
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
}

export interface DeleteOptions {
  readonly namespace?: string;
  readonly propagation?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
  /** Only this very object, not another of its name. */
  readonly uid?: string;
}

export type PatchKind = 'merge' | 'strategic' | 'json';

export interface WaitOptions {
  readonly timeoutMs: number;
  readonly intervalMs?: number;
  readonly signal?: AbortSignal;
}

/** A thin client of the Kubernetes API, typed where oxherd knows the kind. Time outs of waits are the Clock's. */
export interface KubernetesClient {
  /** Whether an API server is ready; without an endpoint: any. Never throws. */
  ready(endpoint?: string): Promise<boolean>;
  /** When the certificate of the server at an address ends, whether or not it is still good; `undefined`: none is shown. */
  servingUntil(endpoint: string): Promise<number | undefined>;
  /** `v1.36.0` of the server that answers. */
  version(): Promise<string>;
  /** `undefined`: not there. */
  get<T>(resource: Resource<T>, name: string, namespace?: string): Promise<T | undefined>;
  list<T>(resource: Resource<T>, options?: ListOptions): Promise<T[]>;
  /** Starts with a full list, goes on with changes, and lists again whenever the server has forgotten where we were. */
  watch<T>(resource: Resource<T>, options?: WatchOptions): AsyncGenerator<WatchEvent<T>>;
  create<T>(resource: Resource<T>, object: T, namespace?: string): Promise<T>;
  /** Server-side apply; answers the object as it is now. */
  apply<T extends KubernetesObject>(object: T, options?: ApplyOptions): Promise<T>;
  patch<T>(
    resource: Resource<T>,
    name: string,
    patch: unknown,
    options: { readonly kind: PatchKind; readonly namespace?: string; readonly subresource?: 'status' },
  ): Promise<T>;
  /** `false`: it was not there. */
  delete(resource: Resource<unknown>, name: string, options?: DeleteOptions): Promise<boolean>;
  /** Asks the pod to go, within its disruption budget. `false`: it was not there. */
  evict(
    name: string,
    namespace: string,
    options?: { readonly gracePeriodSeconds?: number },
  ): Promise<boolean>;
  logs(pod: string, namespace: string, options?: { container?: string; tailLines?: number }): Promise<string>;
  /** The resource of any kind the server has. */
  resourceOf(apiVersion: string, kind: string): Promise<Resource<unknown>>;
  /** All that the server has and lists. */
  resources(): Promise<Resource<unknown>[]>;
  /** Reads until `check` holds. While the API cannot be reached it waits as well. */
  waitFor<T>(
    resource: Resource<T>,
    name: string,
    namespace: string | undefined,
    check: (object: T | undefined) => boolean,
    options: WaitOptions,
  ): Promise<T | undefined>;
  close(): Promise<void>;
}

/** What `connectKubernetes` opens. Steps get the client alone. */
export interface KubernetesConnection extends KubernetesClient {
  /** Over the same connections; every request that changes something passes the gate. */
  behind(gate: WriteGate): KubernetesClient;
}
