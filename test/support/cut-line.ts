/**
 * The line between a run and everything it talks to: cut at its n-th call, for good. A question that was asked before,
 * with nothing written since, is not counted again: a run that waits asks it a hundred times, and to be cut off there
 * is the same each time.
 */
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import type { TalosAccess, TalosConnections } from '../../src/clients/talos/access.js';
import type { TalosClient } from '../../src/clients/talos/client.js';
import type { Clock } from '../../src/model/clock.js';

/** What a run talks through: cut off, or suspended, at one of its calls. */
export interface Line {
  readonly signal: AbortSignal;
  /** A request to Proxmox was sent. */
  request(method: string, path: string): void;
  /** `question` names a call that changes nothing. */
  pass<T>(question: string | undefined, call: () => Promise<T>): Promise<T>;
  /** The clock and the Proxmox client as the process has them; absent: the lab's own. */
  readonly process?: {
    clock(clock: Clock): Clock;
    proxmox(client: ProxmoxConnection): ProxmoxConnection;
  };
}

/** `before`: the call is never sent. `after`: it is carried out, and its answer never read. */
export type Cut = 'before' | 'after';

export class CutLine implements Line {
  calls = 0;
  isCut = false;
  #written = 0;
  readonly #asked = new Set<string>();
  readonly #controller = new AbortController();

  /** Lets `calls` calls pass; without a number, all of them. */
  constructor(
    private readonly limit = Number.POSITIVE_INFINITY,
    private readonly cut: Cut = 'before',
    /** Cut after so many calls that change a machine. */
    private readonly writes = Number.POSITIVE_INFINITY,
  ) {}

  /** Aborted by the cut. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A request to Proxmox was sent: the cut comes after it. */
  request(method: string, path: string): void {
    if (this.#isCounted(method === 'GET' ? `${method} ${path}` : undefined) && this.calls > this.limit)
      this.#sever();
  }

  /** `question` names a call that changes nothing. */
  async pass<T>(question: string | undefined, call: () => Promise<T>): Promise<T> {
    if (question === undefined) this.#written += 1;
    const last =
      (this.#isCounted(question) && this.calls > this.limit) ||
      (question === undefined && this.#written === this.writes);
    if (last && this.cut === 'before') this.#sever();
    if (this.isCut) throw new Error('cut');
    const answer = await call();
    if (last) this.#sever();
    if (this.isCut) throw new Error('cut');
    return answer;
  }

  #isCounted(question: string | undefined): boolean {
    if (question !== undefined && this.#asked.has(question)) return false;
    if (question === undefined) this.#asked.clear();
    else this.#asked.add(question);
    this.calls += 1;
    return true;
  }

  #sever(): void {
    this.isCut = true;
    if (!this.signal.aborted) this.#controller.abort(new Error('cut'));
  }
}

/** Calls of the Talos API that change a machine. */
const WRITES = new Set([
  'applyConfiguration',
  'bootstrap',
  'forfeitLeadership',
  'leave',
  'pullImage',
  'reboot',
  'remove',
  'reset',
  'restartService',
  'shutdown',
  'upgrade',
]);

/** The same access, through the line. */
export function throughLine(access: TalosConnections, line: Line): TalosConnections {
  return { ...accessThrough(access, line), behind: (gate) => accessThrough(access.behind(gate), line) };
}

function accessThrough(access: TalosAccess, line: Line): TalosAccess {
  return {
    probe: (ip) => line.pass(`probe ${ip}`, () => access.probe(ip)),
    admin: (ip) => {
      const client = access.admin(ip);
      return client && clientThrough(client, ip, line);
    },
    maintenance: (ip, because) => clientThrough(access.maintenance(ip, because), ip, line),
    close: () => access.close(),
  };
}

function clientThrough(client: TalosClient, ip: string, line: Line): TalosClient {
  return new Proxy(client, { get: (target, key) => through(target, key, ip, line) });
}

/** Methods that answer once are counted; `etcd` is a group of such; streams are not read by what is tested here. */
function through(target: object, key: string | symbol, ip: string, line: Line): unknown {
  const value: unknown = Reflect.get(target, key);
  if (typeof value === 'object' && value !== null) {
    return new Proxy(value, { get: (inner, name) => through(inner, name, ip, line) });
  }
  const name = String(key);
  if (typeof value !== 'function' || ['close', 'watch', 'stages'].includes(name)) return value;
  return (...args: unknown[]) => {
    const question = WRITES.has(name) ? undefined : `${name} ${ip} ${JSON.stringify(args)}`;
    return line.pass(question, async () => Reflect.apply(value, target, args));
  };
}
