import { Agent, type RequestOptions, request } from 'node:https';
import { createInterface } from 'node:readline';
import type { CertificateAndKey } from '../certificates.js';
import { isObj, type Obj, textOf } from '../json.js';

export interface ApiPlace {
  readonly port: number;
  /** PEM of the authority that signed the server. */
  readonly authority: string;
  /** Who asks. */
  readonly client: CertificateAndKey;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: Obj;
}

interface Sent {
  readonly type?: string;
  readonly accept?: string;
  readonly body?: unknown;
}

/** JSON requests to an API server on loopback. */
export class ApiClient {
  readonly #agent: Agent;

  constructor(private readonly place: ApiPlace) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: 16 });
  }

  send(method: string, path: string, { type, accept, body }: Sent = {}): Promise<ApiAnswer> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      accept: accept ?? 'application/json',
      'user-agent': 'oxherd-lab',
      ...(text === undefined
        ? {}
        : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(text) }),
    };
    return new Promise((resolve, reject) => {
      const asked = request({ ...this.#options(path), agent: this.#agent, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: parsed(Buffer.concat(chunks).toString('utf8')) }),
        );
      });
      asked.on('error', reject);
      asked.end(text);
    });
  }

  /** One JSON object per line until the server ends it; `end` comes once, with the status of the answer. */
  watch(path: string, line: (event: Obj) => void, end: (status: number) => void): () => void {
    let over = false;
    const finish = (status: number) => {
      if (over) return;
      over = true;
      end(status);
    };
    const asked = request(
      { ...this.#options(path), agent: false, headers: { accept: 'application/json' } },
      (response) => {
        const status = response.statusCode ?? 0;
        if (status !== 200) {
          response.resume();
          finish(status);
          return;
        }
        const lines = createInterface({ input: response });
        lines.on('line', (text) => over || line(parsed(text)));
        // A connection that is cut ends the lines with an error of the response.
        lines.on('error', () => finish(0));
        lines.once('close', () => finish(status));
      },
    );
    asked.on('error', () => finish(0));
    asked.end();
    return () => {
      over = true;
      asked.destroy();
    };
  }

  close(): void {
    this.#agent.destroy();
  }

  #options(path: string): RequestOptions {
    const { port, authority, client } = this.place;
    return { host: '127.0.0.1', port, path, ca: [authority], cert: client.certificate, key: client.key };
  }
}

function parsed(text: string): Obj {
  try {
    const value: unknown = JSON.parse(text);
    return isObj(value) ? value : {};
  } catch {
    // `ok` of /readyz, or a plain 404.
    return { message: text };
  }
}

export function messageOf({ status, body }: ApiAnswer): string {
  return textOf(body.message) || `status ${status}`;
}
