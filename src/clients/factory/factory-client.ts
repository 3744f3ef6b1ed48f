import { Agent, request } from 'undici';
import { z } from 'zod';
import { OxherdError } from '../../model/error.js';
import { readLimited, TooLarge } from '../read-limited.js';

/** What went wrong with the Image Factory. */
export class FactoryError extends OxherdError {
  override readonly name: string = 'FactoryError';
}

/** An Image Factory: Talos' own, or a private one. */
export interface FactoryClient {
  /** Makes the schematic known there; the same text gives the same id each time. */
  register(schematic: string): Promise<string>;
  /** Registers it and checks that the factory computes the id that images are named by. */
  ensure(schematic: string, expectedId: string): Promise<void>;
  versions(): Promise<string[]>;
  /** Names of extensions that the schematic wants and this Talos version does not have. */
  missingExtensions(version: string, wanted: readonly string[]): Promise<string[]>;
  close(): Promise<void>;
}

interface FactoryClientOptions {
  /** `https://factory.talos.dev` */
  readonly url: string;
  /** Where the host is really found; the lab's factory is plain HTTP on loopback. */
  readonly dial?: (host: string, port: number) => { host: string; port: number } | undefined;
  readonly timeoutMs?: number;
}

const ATTEMPTS = 3;
/** The list of all extensions of a version has some 200 kB. */
const MAX_FACTORY_BYTES = 16 * 1024 * 1024;
const OFFLINE =
  'Check the network and the factory’s address, or give talos.factory an address that can be reached.';

export function connectFactory(options: FactoryClientOptions): FactoryClient {
  const timeout = options.timeoutMs ?? 30_000;
  const agent = new Agent({ connectTimeout: timeout, headersTimeout: timeout, bodyTimeout: timeout });
  const call = factoryCall(options, agent);

  async function register(schematic: string): Promise<string> {
    const answer = z
      .object({ id: z.string().regex(/^[0-9a-f]{64}$/) })
      .safeParse(await call('POST', '/schematics', schematic));
    if (answer.success) return answer.data.id;
    throw new FactoryError('factory.failed', `${options.url} gives no schematic id`, {
      where: options.url,
      advice: OFFLINE,
    });
  }

  return {
    register,
    async ensure(schematic, expectedId) {
      const id = await register(schematic);
      if (id === expectedId) return;
      throw new FactoryError(
        'factory.other-id',
        `${options.url} gives the schematic the id ${id}, not ${expectedId}`,
        {
          where: options.url,
          advice: 'This factory writes schematics in another form: give talos.schematic the id it answers.',
        },
      );
    },
    versions: async () => z.array(z.string()).parse(await call('GET', '/versions')),
    async missingExtensions(version, wanted) {
      if (wanted.length === 0) return [];
      const known = z
        .array(z.object({ name: z.string() }))
        .parse(await call('GET', `/version/${version}/extensions/official`))
        .map(({ name }) => name);
      return wanted.filter((name) => !known.includes(name));
    },
    close: () => agent.close(),
  };
}

/** Registering is content-addressed and the rest is reading: every call can be repeated. */
function factoryCall(options: FactoryClientOptions, agent: Agent) {
  return async (method: 'GET' | 'POST', path: string, body?: string): Promise<unknown> => {
    let last: unknown;
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      try {
        const answer = await request(`${baseOf(options)}${path}`, {
          method,
          dispatcher: agent,
          ...(body === undefined ? {} : { body }),
        });
        const text = await readLimited(answer.body, MAX_FACTORY_BYTES);
        if (answer.statusCode < 300) return JSON.parse(text);
        if (answer.statusCode < 500) throw refused(options.url, answer.statusCode, text);
        last = refused(options.url, answer.statusCode, text);
      } catch (error) {
        if (error instanceof FactoryError && error.code === 'factory.refused') throw error;
        if (error instanceof TooLarge)
          throw new FactoryError('factory.answer', `${options.url}: ${error.message}`);
        last = error;
      }
    }
    if (last instanceof FactoryError) throw last;
    throw new FactoryError('factory.unreachable', `${options.url} cannot be reached`, {
      where: options.url,
      advice: OFFLINE,
      cause: last,
    });
  };
}

/** Where the factory is asked; behind a dial table it is plain HTTP. */
function baseOf(options: FactoryClientOptions): string {
  const url = new URL(options.url);
  const port = Number(url.port || (url.protocol === 'http:' ? 80 : 443));
  const place = options.dial?.(url.hostname, port);
  const prefix = url.pathname.replace(/\/+$/, '');
  return place ? `http://${place.host}:${place.port}${prefix}` : `${url.origin}${prefix}`;
}

function refused(url: string, status: number, text: string): FactoryError {
  const code = status < 500 ? 'factory.refused' : 'factory.failed';
  return new FactoryError(code, `${url} answers ${status}: ${text.trim().slice(0, 300)}`, {
    where: url,
    advice: status < 500 ? 'Correct the schematic or the Talos version.' : OFFLINE,
  });
}
