/** A plain client of the lab's Proxmox API for tests: no retries, no opinions. */
import { Agent, request } from 'node:https';
import type { Lab } from '../../src/lab/index.js';

export interface ApiAnswer {
  readonly status: number;
  readonly reason: string;
  readonly text: string;
  /** `data` of the body, if it is JSON. */
  readonly data: unknown;
  readonly errors?: Readonly<Record<string, string>>;
}

export type Params = Readonly<Record<string, string | number>>;

export class TestApi {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(
    private readonly lab: Lab,
    private readonly credentials: Readonly<Record<string, string>>,
  ) {}

  static withToken(lab: Lab, token = lab.token): TestApi {
    return new TestApi(lab, { authorization: `PVEAPIToken=${token}` });
  }

  static asRoot(lab: Lab): TestApi {
    const { ticket, csrf } = lab.rootLogin();
    return new TestApi(lab, {
      cookie: `PVEAuthCookie=${encodeURIComponent(ticket)}`,
      csrfpreventiontoken: csrf,
    });
  }

  /** Form body or query, as Proxmox wants it. */
  call(method: string, path: string, params: Params = {}): Promise<ApiAnswer> {
    const form = new URLSearchParams(
      Object.entries(params).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString();
    const inQuery = method === 'GET' || method === 'DELETE';
    const query = inQuery && form !== '' ? `?${form}` : '';
    return this.send(method, `${path}${query}`, inQuery ? undefined : form);
  }

  send(
    method: string,
    path: string,
    body?: string,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer> {
    const length = body ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.lab.endpoint}/api2/json${path}`,
        {
          method,
          agent: this.#agent,
          ca: this.lab.authority,
          headers: { ...this.credentials, ...length, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({
              status: response.statusCode ?? 0,
              reason: response.statusMessage ?? '',
              text,
              ...parse(text),
            });
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  /** Calls, and waits for the task if the answer is one; its exit status is the result. */
  async run(method: string, path: string, params: Params = {}): Promise<string> {
    const answer = await this.call(method, path, params);
    if (answer.status !== 200) return `${answer.status} ${answer.reason}`;
    if (typeof answer.data !== 'string' || !answer.data.startsWith('UPID:')) return 'OK';
    return this.task(answer.data);
  }

  /** With the state, not with requests: the caller may not be allowed to look. */
  async task(upid: string): Promise<string> {
    for (let polls = 0; polls < 10_000; polls += 1) {
      const { exitstatus } = this.lab.proxmox.pve.db.tasks.get(upid) ?? { exitstatus: 'no such task' };
      if (exitstatus !== undefined) return exitstatus;
      await this.lab.clock.sleep(100);
    }
    return 'still running';
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parse(text: string): { data: unknown; errors?: Record<string, string> } {
  try {
    const { data, errors } = JSON.parse(text);
    return { data, ...(errors && { errors }) };
  } catch {
    return { data: undefined };
  }
}
