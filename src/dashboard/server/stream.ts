/** Server-Sent Events: everyone who looks hears of what changed. */
import type { ServerResponse } from 'node:http';
import type { StreamEvent } from '../api.js';
import { headersOf, jsonText } from './answer.js';

const ALIVE_MS = 15_000;
/** A page in a background tab that reads nothing is sent away and comes back when it is looked at. */
const MOST_WAITING = 4 * 1024 * 1024;

export class Stream {
  readonly #readers = new Set<ServerResponse>();
  readonly #alive: NodeJS.Timeout;

  constructor(
    private readonly secrets: Iterable<string>,
    /** Told when the first one comes and when the last one goes. */
    private readonly onReaders: (count: number) => void = () => {},
  ) {
    this.#alive = setInterval(() => this.#write(': alive\n\n'), ALIVE_MS);
    this.#alive.unref();
  }

  get readers(): number {
    return this.#readers.size;
  }

  add(response: ServerResponse): void {
    response.writeHead(200, headersOf({ 'content-type': 'text/event-stream; charset=utf-8' }));
    response.write(': open\n\n');
    this.#readers.add(response);
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
    this.#write(`data: ${whole}\n\n`);
  }

  close(): void {
    clearInterval(this.#alive);
    for (const response of this.#readers) response.destroy();
  }

  #write(text: string): void {
    for (const response of this.#readers) {
      if (response.writableLength > MOST_WAITING) response.destroy();
      else response.write(text);
    }
  }
}
