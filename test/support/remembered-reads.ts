/**
 * A site whose answers are asked for once: for many plans of one cluster that stands still. What a plan is made from is
 * gathered by the same code as ever; only the second answer to the same question does not cross the wire again.
 */
import type { Site } from '../../src/session/connect/site.js';

export class RememberedReads {
  readonly #answers = new Map<string, unknown>();

  /** The same site over what was heard before. */
  of(site: Site): Site {
    const { machines } = site;
    const { cluster } = machines;
    return {
      ...site,
      client: this.#wrap(site.client, 'proxmox'),
      machines: {
        ...machines,
        talos: this.#wrap(machines.talos, 'talos'),
        cluster: { ...cluster, client: cluster.client && this.#wrap(cluster.client, 'kubernetes') },
      },
    };
  }

  #wrap<T extends object>(target: T, path: string): T {
    return new Proxy(target, {
      get: (_, key) => {
        const value: unknown = Reflect.get(target, key, target);
        const name = `${path}.${String(key)}`;
        if (typeof value === 'function')
          return (...args: unknown[]) => this.#call(name, args, () => Reflect.apply(value, target, args));
        return isObject(value) ? this.#wrap(value, name) : value;
      },
    });
  }

  #call(name: string, args: readonly unknown[], ask: () => unknown): unknown {
    const key = `${name}(${JSON.stringify(args)})`;
    if (this.#answers.has(key)) return this.#answers.get(key);
    const answer = ask();
    // A client for one address is made of the connections that are open now; its answers are what stays.
    if (isObject(answer) && !(answer instanceof Promise)) return this.#wrap(answer, key);
    this.#answers.set(key, answer);
    return answer;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
