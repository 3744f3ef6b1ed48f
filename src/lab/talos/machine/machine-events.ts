/** What happened on a machine, newest last: what its Events call tells. Kept in memory, as the real machine does. */
export type MachineEvent = { readonly id: string; readonly at: number; readonly actorId: string } & EventBody;

export type EventBody =
  | { readonly kind: 'sequence'; readonly sequence: string; readonly action: 'start' | 'stop' }
  | {
      readonly kind: 'service';
      readonly service: string;
      readonly state: string;
      readonly message: string;
      readonly healthy: boolean;
    }
  /** Stage and readiness as JSON: equal ones follow each other never. */
  | { readonly kind: 'status'; readonly status: string };

const KEPT = 200;
const BASE32 = '0123456789abcdefghijklmnopqrstuv';

export class MachineEvents {
  #events: MachineEvent[] = [];
  #count = 0;

  constructor(private readonly vmid: number) {}

  add(at: number, body: EventBody, actorId = ''): void {
    this.#count += 1;
    const id = eventId(at, this.vmid, this.#count);
    this.#events = [...this.#events, { id, at, actorId, ...body }].slice(-KEPT);
  }

  get last(): string {
    return this.#events.at(-1)?.id ?? '';
  }

  /** The last status that was told. */
  get status(): string | undefined {
    const event = this.#events.findLast((one) => one.kind === 'status');
    return event?.kind === 'status' ? event.status : undefined;
  }

  after(id: string): readonly MachineEvent[] {
    return this.#events.filter((event) => event.id > id);
  }

  /** All (`-1`), or so many of the newest. */
  newest(count: number): readonly MachineEvent[] {
    return count < 0 ? this.#events : this.#events.slice(this.#events.length - count);
  }

  since(at: number): readonly MachineEvent[] {
    return this.#events.filter((event) => event.at >= at);
  }
}

/** An `xid`: seconds, machine, process and a counter in twenty letters whose order is that of time. */
function eventId(at: number, vmid: number, count: number): string {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(Math.floor(at / 1000) >>> 0, 0);
  bytes.writeUIntBE(vmid % 2 ** 24, 4, 3);
  bytes.writeUInt16BE(1, 7);
  bytes.writeUIntBE(count % 2 ** 24, 9, 3);
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: 20 }, (_, index) => {
    const part = bits.slice(index * 5, index * 5 + 5).padEnd(5, '0');
    return BASE32[Number.parseInt(part, 2)];
  }).join('');
}
