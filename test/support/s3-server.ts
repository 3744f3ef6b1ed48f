/**
 * A stand-in for an S3-compatible store: one bucket in memory. It checks each signature by the rules of AWS Signature
 * Version 4 with code of its own, and the hash of each body; lists come in pages.
 */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export const S3_KEYS = { access: 'AKTESTACCESS0001', secret: 'verysecretkey/with+signs0123456789abcdef' };
const BUCKET = 'backup';
const REGION = 'eu-lab-1';
const PAGE = 2;
const MINUTE = 60_000;

export interface S3StandIn {
  readonly endpoint: string;
  readonly objects: Map<string, Buffer>;
  /** User-defined metadata of objects: headers that are given back with them. */
  readonly notes: Map<string, Readonly<Record<string, string>>>;
  /** `PUT /backup/…`, as they came. */
  readonly requests: string[];
  /** Answers 503 this many times. */
  busy: number;
  /** What is stored of an upload; as it came, unless said. */
  keeps: (body: Buffer) => Buffer;
  close(): Promise<void>;
}

export async function startS3(): Promise<S3StandIn> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => answer(standIn, request, Buffer.concat(pieces), response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const standIn: S3StandIn = {
    endpoint: `http://127.0.0.1:${port}`,
    objects,
    notes: new Map(),
    requests,
    busy: 0,
    keeps: (body) => body,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return standIn;
}

function answer(store: S3StandIn, request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', store.endpoint);
  store.requests.push(`${request.method} ${url.pathname}`);
  const fail = (status: number, code: string, message: string) =>
    response
      .writeHead(status, { 'content-type': 'application/xml' })
      .end(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
  if (store.busy > 0) {
    store.busy -= 1;
    fail(503, 'SlowDown', 'Please reduce your request rate.');
    return;
  }
  const problem = whyRefused(request, url, body);
  if (problem) {
    fail(403, problem, 'The request was refused.');
    return;
  }
  const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/');
  if (bucket !== BUCKET) {
    fail(404, 'NoSuchBucket', 'The specified bucket does not exist');
    return;
  }
  const key = rest.join('/');
  if (request.method === 'PUT') {
    store.objects.set(key, store.keeps(body));
    const notes = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'));
    store.notes.set(key, Object.fromEntries(notes.map(([name, value]) => [name, String(value)])));
    response.end();
  } else if (request.method === 'DELETE') {
    store.objects.delete(key);
    response.writeHead(204).end();
  } else if (key === '') list(store, url, response);
  else {
    const found = store.objects.get(key);
    if (found) response.writeHead(200, store.notes.get(key) ?? {}).end(found);
    else fail(404, 'NoSuchKey', 'The specified key does not exist.');
  }
}

function list(store: S3StandIn, url: URL, response: ServerResponse): void {
  const { searchParams } = url;
  const after = searchParams.get('continuation-token') ?? '';
  const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const keys = [...store.objects.keys()]
    .sort()
    .filter((key) => key.startsWith(searchParams.get('prefix') ?? '') && key > after);
  const page = keys.slice(0, PAGE);
  const more = keys.length > PAGE;
  const contents = page
    .map((key) => `<Contents><Key>${escapeXml(key)}</Key><Size>1</Size></Contents>`)
    .join('');
  const next = more ? `<NextContinuationToken>${escapeXml(page.at(-1) ?? '')}</NextContinuationToken>` : '';
  response.end(
    `<?xml version="1.0"?><ListBucketResult><IsTruncated>${more}</IsTruncated>${contents}${next}</ListBucketResult>`,
  );
}

/** The code of the refusal. */
function whyRefused(request: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const header = (name: string) => String(request.headers[name] ?? '');
  const match =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w{64})$/.exec(
      header('authorization'),
    );
  if (!match) return 'AccessDenied';
  const [, access, date = '', region, names = '', signature] = match;
  if (access !== S3_KEYS.access) return 'InvalidAccessKeyId';
  if (region !== REGION) return 'AuthorizationHeaderMalformed';
  const time = header('x-amz-date');
  const sent = Date.parse(time.replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  if (!(Math.abs(Date.now() - sent) < 15 * MINUTE) || !time.startsWith(date)) return 'RequestTimeTooSkewed';
  const payload = createHash('sha256').update(body).digest('hex');
  if (header('x-amz-content-sha256') !== payload) return 'XAmzContentSHA256Mismatch';
  if (!names.split(';').includes('host')) return 'AccessDenied';
  const query = [...url.searchParams]
    .map(([key, value]) => `${encode(key)}=${encode(value)}`)
    .sort()
    .join('&');
  const canonical = [
    request.method,
    url.pathname,
    query,
    ...names.split(';').map((name) => `${name}:${header(name)}`),
    '',
    names,
    payload,
  ].join('\n');
  const hash = createHash('sha256').update(canonical).digest('hex');
  const text = `AWS4-HMAC-SHA256\n${time}\n${date}/${region}/s3/aws4_request\n${hash}`;
  let key: Buffer | string = `AWS4${S3_KEYS.secret}`;
  for (const part of [date, REGION, 's3', 'aws4_request'])
    key = createHmac('sha256', key).update(part).digest();
  return createHmac('sha256', key).update(text).digest('hex') === signature
    ? undefined
    : 'SignatureDoesNotMatch';
}

function encode(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(character)
        ? character
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
