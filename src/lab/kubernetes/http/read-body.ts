import type { IncomingMessage } from 'node:http';
import { readYaml } from '../../../formats/text/yaml-text.js';
import { isObj, type Obj, objOf, textOf } from '../json.js';
import type { Enveloped } from '../protobuf/envelope.js';
import { ApiError, badRequest, unsupportedMediaType } from '../status.js';
import { duplicateFields, jsonFault } from './go-json.js';
import { PROTOBUF, protobufCodec } from './protobuf-codec.js';

/** As kube-apiserver's default for one object. */
const LIMIT = 3 * 1024 * 1024;
const JSON_TYPE = 'application/json';
const YAML_TYPE = 'application/yaml';

export async function readBody(request: IncomingMessage): Promise<RequestBody> {
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
  return new RequestBody(Buffer.concat(chunks), mediaTypeOf(request));
}

function mediaTypeOf(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim() ?? '';
}

/** What came with a request, read when its handler knows what it should be. */
export class RequestBody {
  constructor(
    readonly bytes: Buffer,
    readonly mediaType: string,
  ) {}

  get text(): string {
    return this.bytes.toString('utf8');
  }

  get empty(): boolean {
    return this.bytes.length === 0;
  }

  /** The object of a create or update. `custom`: of a kind without protobuf form. */
  object(kind: string, custom = false): unknown {
    switch (this.mediaType) {
      case YAML_TYPE:
        return parseYaml(this.text);
      case JSON_TYPE:
      case '':
        return this.json(kind);
      case PROTOBUF:
        if (!custom) return this.#protobuf(kind);
    }
    throw unsupportedMediaType([JSON_TYPE, YAML_TYPE, ...(custom ? [] : [PROTOBUF])]);
  }

  /** The options of a delete; nothing where none were sent. */
  options(kind: string): unknown {
    if (this.empty) return undefined;
    const given = objOf(this.#optionsJson(kind));
    const said = textOf(given.kind) || kind;
    if (said === kind) return given;
    const version = textOf(given.apiVersion);
    throw badRequest(
      `no kind "${said}" is registered for version "${version}" in scheme "pkg/runtime/scheme.go:111"`,
    );
  }

  /** What is wrong with options is told without what they were to be. */
  #optionsJson(kind: string): unknown {
    if (this.mediaType !== JSON_TYPE && this.mediaType !== '') return this.object(kind);
    try {
      return JSON.parse(this.text);
    } catch {
      throw badRequest(`couldn't get version/kind; json parse error: ${jsonFault(this.text)}`);
    }
  }

  json(kind: string): unknown {
    return parseJson(this.text, kind);
  }

  /** Fields that stand in it twice; the last one counts. */
  get duplicates(): readonly string[] {
    return this.mediaType === JSON_TYPE || this.mediaType === '' ? duplicateFields(this.text) : [];
  }

  #protobuf(kind: string): unknown {
    const codec = protobufCodec();
    let envelope: Enveloped;
    try {
      envelope = codec.openEnvelope(this.bytes);
    } catch (error) {
      throw unrecognized(kind, messageText(error), this.bytes);
    }
    try {
      const object = codec.decodeEnveloped(envelope);
      if (object) return object;
    } catch (error) {
      const version = envelope.apiVersion.split('/').at(-1);
      throw badRequest(
        `${envelope.kind} in version "${version}" cannot be handled as a ${kind}: ${messageText(error)}`,
      );
    }
    return { apiVersion: envelope.apiVersion, kind: envelope.kind };
  }
}

function messageText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function unrecognized(kind: string, why: string, bytes: Buffer): ApiError {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`,
  );
}

/** The beginning of a body, as errors show it: text where it looks like JSON. */
function summary(bytes: Buffer): string {
  if (bytes.length === 0) return '<empty>';
  const start = bytes.subarray(0, 30);
  const shown = bytes[0] === 0x7b ? start.toString('utf8') : start.toString('hex');
  return bytes.length > 30 ? `${shown} ...` : shown;
}

function parseJson(text: string, kind: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const why = `couldn't get version/kind; json parse error: ${jsonFault(text)}`;
    throw unrecognized(kind, why, Buffer.from(text));
  }
  if (isObj(value)) return value;
  const into = `struct { APIVersion string ${GO_TAG('apiVersion')}; Kind string ${GO_TAG('kind')} }`;
  const why = `couldn't get version/kind; json parse error: ${notInto(value, into)}`;
  // Go reads null into anything.
  if (value === null) return {};
  throw unrecognized(kind, why, Buffer.from(text));
}

const GO_TAG = (name: string) => JSON.stringify(`json:"${name},omitempty"`);

/** `encoding/json` of a value of another kind. */
export function notInto(value: unknown, type: string): string {
  const kind = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${isObj(value) ? 'object' : kind} into Go value of type ${type}`;
}

/** YAML 1.1, as sigs.k8s.io/yaml reads it: `y` is true. */
export function parseYaml(text: string): Obj {
  let value: unknown;
  try {
    value = readYaml(text, { version: '1.1' });
  } catch (error) {
    throw badRequest(`error decoding YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (value === null) return {};
  if (!isObj(value)) {
    const why = notInto(value, 'map[string]interface {}');
    throw badRequest(`error decoding patch: error unmarshaling JSON: while decoding JSON: ${why}`);
  }
  return value;
}
