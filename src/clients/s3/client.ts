import type { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import {
  EMPTY_PAYLOAD,
  type S3Credentials,
  type S3Request,
  s3Target,
  signS3,
} from '../../formats/text/s3-signature.js';
import type { Clock } from '../../model/clock.js';
import { readLimited } from '../read-limited.js';
import { refusal, S3Error, textOf, textsOf } from './errors.js';

export interface S3Options {
  /** `https://s3.example.org`, `https://minio.lan:9000`. */
  readonly endpoint: URL;
  readonly region: string;
  readonly bucket: string;
  readonly credentials: S3Credentials;
  /** The wall's: the store compares the date of a signature with its own. */
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  readonly timeoutMs?: number;
}

/** As much of S3 as backups need, with the bucket in the path: every store that speaks S3 takes that. */
export interface S3Client {
  /** Keys that begin with the prefix, in the order of their names. */
  list(prefix: string): Promise<string[]>;
  /** `open` gives the body, once per attempt. */
  put(key: string, body: S3Body): Promise<void>;
  get(key: string): Promise<AsyncIterable<Uint8Array>>;
  /** With what was noted at its upload. */
  getWithNote(key: string): Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly note?: string }>;
  /** Deleting what does not exist is no error there. */
  delete(key: string): Promise<void>;
  close(): Promise<void>;
}

interface S3Body {
  readonly size: number;
  readonly sha256: string;
  readonly open: () => Readable;
  /** Kept with the object as metadata; one line of ASCII. */
  readonly note?: string;
}

/** Stores keep headers with this prefix and give them back (S3: user-defined object metadata). */
const NOTE = 'x-amz-meta-oxherd-origin';

type Answer = Dispatcher.ResponseData;

const ATTEMPTS = 4;
const FIRST_PAUSE = 250;
const MAX_LIST_BYTES = 16 * 1024 * 1024;
const MAX_ERROR_BYTES = 64 * 1024;

export function connectS3(options: S3Options): S3Client {
  const timeout = options.timeoutMs ?? 60_000;
  const agent = new Agent({ connectTimeout: timeout, headersTimeout: timeout, bodyTimeout: timeout });
  const root = rootOf(options);
  const send = sender(options, agent);

  async function list(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    for (let token: string | undefined; ; ) {
      const more = token === undefined ? {} : { 'continuation-token': token };
      const answer = await send({
        method: 'GET',
        path: root,
        query: { 'list-type': '2', prefix, ...more },
        payload: EMPTY_PAYLOAD,
      });
      const xml = await readLimited(answer.body, MAX_LIST_BYTES);
      keys.push(...textsOf(xml, 'Key'));
      const next = textOf(xml, 'NextContinuationToken');
      if (textOf(xml, 'IsTruncated') !== 'true' || next === undefined || next === token) return keys.sort();
      token = next;
    }
  }

  async function getWithNote(key: string) {
    const answer = await send({ method: 'GET', path: `${root}/${key}`, payload: EMPTY_PAYLOAD });
    const note = answer.headers[NOTE];
    return { body: answer.body, ...(typeof note === 'string' && { note }) };
  }

  return {
    list,
    getWithNote,
    async put(key, body) {
      const headers = {
        'content-type': 'application/octet-stream',
        ...(body.note !== undefined && { [NOTE]: body.note }),
      };
      const asked = { method: 'PUT', path: `${root}/${key}`, headers, payload: body.sha256 } as const;
      const answer = await send(asked, body);
      await answer.body.dump();
    },
    get: async (key) => (await getWithNote(key)).body,
    async delete(key) {
      const answer = await send({ method: 'DELETE', path: `${root}/${key}`, payload: EMPTY_PAYLOAD });
      await answer.body.dump();
    },
    close: () => agent.close(),
  };
}

type Send = (asked: Omit<S3Request, 'host'>, body?: S3Body) => Promise<Answer>;

/** All of it can be repeated: a key holds what was written to it last. */
function sender(options: S3Options, agent: Agent): Send {
  const { endpoint, clock } = options;

  async function attempt(asked: Omit<S3Request, 'host'>, body?: S3Body): Promise<Answer> {
    const whole = { ...asked, host: endpoint.host };
    const signed = signS3(whole, options.credentials, { region: options.region, now: clock.now() });
    const answer = await request(`${endpoint.origin}${s3Target(whole)}`, {
      method: asked.method,
      headers: { ...signed, ...(body && { 'content-length': String(body.size) }) },
      dispatcher: agent,
      ...(body && { body: body.open() }),
    });
    if (answer.statusCode < 300) return answer;
    const text = await readLimited(answer.body, MAX_ERROR_BYTES);
    throw refusal(`${endpoint.origin}${rootOf(options)}`, answer.statusCode, text);
  }

  return async (asked, body) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(asked, body);
      } catch (error) {
        if (error instanceof S3Error && error.code !== 's3.failed') throw error;
        if (tries < ATTEMPTS) await clock.sleep(FIRST_PAUSE * 2 ** (tries - 1));
        else if (error instanceof S3Error) throw error;
        else throw unreachable(endpoint, error);
      }
    }
  };
}

/** The bucket is in the path: every store that speaks S3 takes that. */
function rootOf({ endpoint, bucket }: S3Options): string {
  return `${endpoint.pathname.replace(/\/+$/, '')}/${bucket}`;
}

function unreachable(endpoint: URL, cause: unknown): S3Error {
  const why = cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : '';
  return new S3Error('s3.unreachable', `${endpoint.origin} cannot be reached${why}`, {
    where: endpoint.origin,
    advice:
      'check --endpoint and the network; the certificate of a private authority is trusted with NODE_EXTRA_CA_CERTS',
    cause,
  });
}
