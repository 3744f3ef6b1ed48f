/**
 * A site whose answers are asked for once: for many plans of one cluster that stands still. What a plan is made from is
 * gathered by the same code as ever; only the second answer to the same question does not cross the wire again.
 */
import type { Site } from '../../src/session/connect/site.js';

/** One call of a client: `proxmox.vmPending` with `['pve1', 151]`. */
export interface ReadCall {
  /** `talos.admin(["10.20.30.41"]).etcd.members` */
  readonly name: string;
  readonly args: readonly unknown[];
  /** Name and arguments. */
  readonly key: string;
}

/** Stands between the session and a read: gives what was remembered, or another answer, or an error. */
export type Answering = (call: ReadCall, remembered: () => unknown) => unknown;

const AS_IT_IS: Answering = (_, remembered) => remembered();

export class RememberedReads {
  readonly #answers = new Map<string, unknown>();

  /** The same site over what was heard before; `proxmox` names what that part was asked through, such as another token. */
  of(site: Site, answering: Answering = AS_IT_IS, proxmox = 'proxmox'): Site {
    const { machines } = site;
    const { cluster } = machines;
    const wrap = <T extends object>(target: T, path: string) => this.#wrap(target, path, answering);
    return {
      ...site,
      client: wrap(site.client, proxmox),
      machines: {
        ...machines,
        talos: wrap(machines.talos, 'talos'),
        cluster: { ...cluster, client: cluster.client && wrap(cluster.client, 'kubernetes') },
      },
    };
  }

  #wrap<T extends object>(target: T, path: string, answering: Answering): T {
    return new Proxy(target, {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key, target);
        const name = `${path}.${String(key)}`;
        if (typeof value === 'function')
          return (...args: unknown[]) =>
            this.#call(name, args, () => Reflect.apply(value, target, args), answering);
        return isObject(value) ? this.#wrap(value, name, answering) : value;
      },
    });
  }

  #call(name: string, args: readonly unknown[], ask: () => unknown, answering: Answering): unknown {
    const key = `${name}(${JSON.stringify(args)})`;
    const first = this.#answers.has(key) ? undefined : ask();
    // A client for one address is made of the connections that are open now; its answers are what stays.
    if (isObject(first) && !(first instanceof Promise)) return this.#wrap(first, key, answering);
    // An answer that is replaced by another is not awaited.
    if (first instanceof Promise) first.catch(() => {});
    if (first !== undefined) this.#answers.set(key, first);
    return answering({ name, args, key }, () => this.#answers.get(key));
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
