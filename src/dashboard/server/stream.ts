/** Server-Sent Events: everyone who looks hears of what changed. */
import type { ServerResponse } from 'node:http';
import type { StreamEvent } from '../api.js';
import { headersOf, jsonText } from './answer.js';

const ALIVE_MS = 15_000;
/** A page in a background tab that reads nothing is sent away and comes back when it is looked at. */
const MOST_WAITING = 4 * 1024 * 1024;

/** Asked for each event of a cluster, as rights may have gone meanwhile. */
type MayHear = (cluster: string) => Promise<boolean>;

export class Stream {
  readonly #readers = new Map<ServerResponse, MayHear | undefined>();
  /** What was said last to each reader: events stay in their order. */
  readonly #said = new WeakMap<ServerResponse, Promise<void>>();
  readonly #alive: NodeJS.Timeout;

  constructor(
    private readonly secrets: Iterable<string>,
    /** Told when the first one comes and when the last one goes. */
    private readonly onReaders: (count: number) => void = () => {},
  ) {
    this.#alive = setInterval(() => {
      for (const response of this.#readers.keys()) write(response, ': alive\n\n');
    }, ALIVE_MS);
    this.#alive.unref();
  }

  get readers(): number {
    return this.#readers.size;
  }

  /** Without `mayHear` the reader hears of everything. */
  add(response: ServerResponse, mayHear?: MayHear): void {
    response.writeHead(200, headersOf({ 'content-type': 'text/event-stream; charset=utf-8' }));
    response.write(': open\n\n');
    this.#readers.set(response, mayHear);
    this.onReaders(this.#readers.size);
    response.on('close', () => {
      this.#readers.delete(response);
      this.onReaders(this.#readers.size);
    });
  }

  /** `change`: a part of the event that is JSON without secrets already. */
  send(event: StreamEvent, change?: string): void {
    if (this.#readers.size === 0) return;
    const text = jsonText(event, this.secrets);
    const whole = change === undefined ? text : `${text.slice(0, -1)},"change":${change}}`;
    for (const [response, mayHear] of this.#readers) {
      if (mayHear) this.#sayIfAllowed(response, mayHear, event.cluster, `data: ${whole}\n\n`);
      else write(response, `data: ${whole}\n\n`);
    }
  }

  close(): void {
    clearInterval(this.#alive);
    for (const response of this.#readers.keys()) response.destroy();
  }

  #sayIfAllowed(response: ServerResponse, mayHear: MayHear, cluster: string, text: string): void {
    const before = this.#said.get(response) ?? Promise.resolve();
    const said = before
      .then(() => mayHear(cluster))
      .then((allowed) => {
        if (allowed) write(response, text);
      })
      // Whoever cannot be asked about is sent away; the page comes back and is let in, or not.
      .catch(() => void response.destroy());
    this.#said.set(response, said);
  }
}

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > MOST_WAITING) response.destroy();
  else response.write(text);
}
