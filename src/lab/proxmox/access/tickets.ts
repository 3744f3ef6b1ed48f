/** Tickets and CSRF tokens: the user, the time and a signature over both. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** Seconds that a ticket is good for: of the wall, where clients live. */
const LIFETIME = 7_200;
/** Seconds by which another host's clock may be ahead. */
const AHEAD = 300;

export class TicketOffice {
  constructor(
    /** Known to this lab alone. */
    private readonly key: string,
    private readonly now: () => number,
    /** Lab time per wall time. */
    private readonly pace = 1,
  ) {}

  ticket(user: string): string {
    const plain = `PVE:${user}:${this.#time()}`;
    return `${plain}::${this.#sign(plain)}`;
  }

  csrf(user: string): string {
    const time = this.#time();
    return `${time}:${this.#sign(`${time}:${user}`).replace(/=+$/, '')}`;
  }

  /** The user of a ticket; `undefined`: it is not one of ours, or too old. */
  userOf(ticket: string): string | undefined {
    const [, plain = '', user, time = '', signature = ''] =
      /^(PVE:(\S+):([0-9A-F]{8}))::(.*)$/.exec(ticket) ?? [];
    if (user === undefined || !this.#fresh(time) || !same(signature, this.#sign(plain))) return undefined;
    return user;
  }

  isCsrfOf(user: string, token: string): boolean {
    const [, time = '', signature = ''] = /^([0-9A-F]{8}):(.*)$/.exec(token) ?? [];
    return this.#fresh(time) && same(signature, this.#sign(`${time}:${user}`).replace(/=+$/, ''));
  }

  #time(): string {
    return Math.floor(this.now() / 1000)
      .toString(16)
      .toUpperCase()
      .padStart(8, '0');
  }

  #fresh(time: string): boolean {
    const age = Math.floor(this.now() / 1000) - Number.parseInt(time, 16);
    return age >= -AHEAD && age <= LIFETIME * Math.max(1, this.pace);
  }

  #sign(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('base64');
  }
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
