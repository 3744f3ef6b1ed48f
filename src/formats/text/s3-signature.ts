/** AWS Signature Version 4 for S3 and what speaks its language, over a whole payload whose hash is known. */
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { sha256Hex } from './hash.js';

export const EMPTY_PAYLOAD = sha256Hex('');

export interface S3Credentials {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  /** Host and port as the request names them. */
  readonly host: string;
  /** Decoded, from the root: `/bucket/some key`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Sent as they are and part of the signature. */
  readonly headers?: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hex. */
  readonly payload: string;
}

/** Headers that make the request one of these credentials, for some minutes after `now`. */
export function signS3(
  request: S3Request,
  credentials: S3Credentials,
  { region, now }: { readonly region: string; readonly now: number },
): Record<string, string> {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const date = time.slice(0, 8);
  const scope = `${date}/${region}/s3/aws4_request`;
  const headers: Record<string, string> = {
    ...request.headers,
    host: request.host,
    'x-amz-content-sha256': request.payload,
    'x-amz-date': time,
    ...(credentials.sessionToken === undefined ? {} : { 'x-amz-security-token': credentials.sessionToken }),
  };
  const names = Object.keys(headers).sort();
  const signed = names.join(';');
  const canonical = [
    request.method,
    encodePath(request.path),
    encodeQuery(request.query ?? {}),
    ...names.map((name) => `${name}:${headers[name]?.trim() ?? ''}`),
    '',
    signed,
    request.payload,
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256Hex(canonical)].join('\n');
  let key: Uint8Array = utf8ToBytes(`AWS4${credentials.secretKey}`);
  for (const part of [date, region, 's3', 'aws4_request']) key = mac(key, part);
  const signature = bytesToHex(mac(key, text));
  const credential = `${credentials.accessKey}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential},SignedHeaders=${signed},Signature=${signature}`,
  };
}

/** Path and query of the request line, encoded as they are signed: any other spelling would be another request. */
export function s3Target({ path, query = {} }: Pick<S3Request, 'path' | 'query'>): string {
  const encoded = encodeQuery(query);
  return `${encodePath(path)}${encoded === '' ? '' : `?${encoded}`}`;
}

function mac(key: Uint8Array, text: string): Uint8Array {
  return hmac(sha256, key, utf8ToBytes(text));
}

function encodePath(path: string): string {
  return path.split('/').map(encode).join('/');
}

function encodeQuery(query: Readonly<Record<string, string>>): string {
  return Object.entries(query)
    .map(([key, value]) => `${encode(key)}=${encode(value)}`)
    .sort()
    .join('&');
}

/** RFC 3986: everything but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
