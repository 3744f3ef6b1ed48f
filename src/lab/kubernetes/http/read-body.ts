import type { IncomingMessage } from 'node:http';
import { readYaml } from '../../../formats/text/yaml-text.js';
import type { Obj } from '../json.js';
import { isObj } from '../json.js';
import { ApiError, badRequest, unsupportedMediaType } from '../status.js';

/** As kube-apiserver's default for one object. */
const LIMIT = 3 * 1024 * 1024;

export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    size += bytes.length;
    if (size > LIMIT) {
      throw new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${LIMIT}`);
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
}

const OBJECT_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

/** The body of a create or update; protobuf is not understood (kubectl uses it for a few commands only). */
export function parseObject(text: string, mediaType: string, kind: string): unknown {
  if (mediaType === 'application/yaml') return parseYaml(text);
  if (mediaType !== 'application/json' && mediaType !== '') throw unsupportedMediaType(OBJECT_TYPES);
  return parseJson(text, kind);
}

export function parseJson(text: string, kind: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const start = text.slice(0, 30);
    throw badRequest(
      `the object provided is unrecognized (must be of type ${kind}): couldn't get version/kind; json parse error: unexpected end of JSON input (${start} ...)`,
    );
  }
}

/** YAML 1.1, as sigs.k8s.io/yaml reads it: `y` is true. */
export function parseYaml(text: string): Obj {
  let value: unknown;
  try {
    value = readYaml(text, { version: '1.1' });
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isObj(value)) throw badRequest('error decoding YAML: not an object');
  return value;
}
