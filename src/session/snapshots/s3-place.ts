/** `s3://bucket/key` of a command line, with an endpoint and credentials that are named, never written. */

import { connectS3, type S3Client } from '../../clients/s3/index.js';
import { parseSecretRef, SECRET_FORMS } from '../../config/secret-ref.js';
import { ownValue } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { resolveSecret } from '../connect/resolve-secret.js';
import { wallClock } from '../connect/wall-clock.js';
import type { SessionContext } from '../context.js';

export interface S3Url {
  readonly bucket: string;
  /** Without a slash at its start. */
  readonly key: string;
}

/** As the flags say; what is not said comes from the variables that other tools of S3 use. */
interface S3Flags {
  readonly endpoint?: unknown;
  readonly region?: unknown;
  readonly accessKey?: unknown;
  readonly secretKey?: unknown;
  readonly plainHttp?: unknown;
}

const BUCKET = /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i;

export function isS3Url(text: string): boolean {
  return /^s3:/i.test(text);
}

export function parseS3Url(text: string): S3Url {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]*)\/?(.*)$/i.exec(text) ?? [];
  const steps = key.split('/').slice(0, -1);
  const isKey = !/[?#\p{Cc}]/u.test(key) && !steps.some((step) => ['', '.', '..'].includes(step));
  if (BUCKET.test(bucket) && isKey) return { bucket, key };
  throw new OxherdError('cli.s3', `${text} is not an address of an S3 bucket`, {
    advice: 'write s3://bucket/prefix; the server is --endpoint',
  });
}

/** The bucket, for as long as `work` takes. */
export async function withBucket<Result>(
  context: Pick<SessionContext, 'env' | 'cwd'>,
  bucket: string,
  flags: S3Flags,
  work: (client: S3Client) => Promise<Result>,
): Promise<Result> {
  const { env } = context;
  const region = textOf(flags.region) ?? env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1';
  const endpoint = endpointOf(
    textOf(flags.endpoint) ?? env.AWS_ENDPOINT_URL_S3 ?? env.AWS_ENDPOINT_URL,
    region,
    flags.plainHttp === true,
  );
  const sessionToken = flags.accessKey === undefined ? env.AWS_SESSION_TOKEN : undefined;
  const credentials = {
    accessKey: await credential(context, '--access-key', flags.accessKey ?? 'env:AWS_ACCESS_KEY_ID'),
    secretKey: await credential(context, '--secret-key', flags.secretKey ?? 'env:AWS_SECRET_ACCESS_KEY'),
    ...(sessionToken ? { sessionToken } : {}),
  };
  const client = connectS3({ endpoint, region, bucket, credentials, clock: wallClock });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** A snapshot holds every secret of the cluster: it is sent in the clear only where nothing listens, or on demand. */
function endpointOf(text: string | undefined, region: string, plainHttp: boolean): URL {
  const url = parsed(text ?? `https://s3.${region}.amazonaws.com`);
  const isHttp = url?.protocol === 'http:';
  if (!url || (!isHttp && url.protocol !== 'https:') || url.search !== '' || url.username !== '') {
    throw new OxherdError('cli.s3', '--endpoint is not the address of an S3 server', {
      advice: 'write for instance --endpoint https://minio.lan:9000; credentials are named by --access-key',
    });
  }
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (isHttp && !isLocal && !plainHttp) {
    throw new OxherdError('cli.s3', `${url.origin} is not encrypted, and a snapshot of etcd holds secrets`, {
      advice: 'use https, or accept it with --plain-http',
    });
  }
  return url;
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}

async function credential(
  context: Pick<SessionContext, 'env' | 'cwd'>,
  flag: string,
  text: unknown,
): Promise<string> {
  const ref = typeof text === 'string' ? parseSecretRef(text) : undefined;
  // The text may be the key itself: it is not repeated.
  if (!ref || ref.kind === 'tfvars')
    throw new OxherdError('cli.s3', `${flag} does not say where the key is`, {
      advice: `write ${SECRET_FORMS}: keys in arguments are seen by everybody on this machine`,
    });
  if (ref.kind === 'env' && !ownValue(context.env, ref.name))
    throw new OxherdError('secret.missing', `the environment variable ${ref.name} is not set`, {
      advice: `export ${ref.name}, or name another place: ${flag} file:PATH or sops:PATH#key.path`,
    });
  return resolveSecret(context, context.cwd, ref);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
