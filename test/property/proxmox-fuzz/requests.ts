/** Random requests over the whole API, valid and broken. */
import { INDEXED, METHODS } from '../../../src/lab/proxmox/gen/schema.js';
import type { MethodSchema, ObjectSchema, PropertySchema } from '../../../src/lab/proxmox/schema.js';
import type { SeededRandom } from './random.js';
import { junk, type Seen, value } from './values.js';

export interface FuzzRequest {
  readonly method: string;
  /** Below `/api2/json`, with the query. */
  readonly path: string;
  readonly body: string | null;
  readonly contentType: string | undefined;
  /** Which of the test's identities asks. */
  readonly as: 'root' | 'ticket' | 'limited' | 'nobody';
}

/** The calls that make, move and free volumes come more often than the rest. */
const FAVOURITES = METHODS.filter(
  ({ path, method }) =>
    /\/qemu(\/\{vmid\})?$|\/(config|resize|move_disk|unlink|clone|template)$|\/snapshot|\/status\/|\/content/.test(
      path,
    ) && !(method === 'GET' && path.includes('snapshot')),
);

/** Drive and network keys are many; a handful of each meets often enough. */
const FEW = 3;

interface Parameter {
  readonly name: string;
  readonly schema: PropertySchema;
}

const parametersOf = new Map<MethodSchema, Parameter[]>(
  METHODS.map((method) => [method, list(method.parameters)]),
);

function list(schema: ObjectSchema): Parameter[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const base = name.replace(/\[n\]$|\d+$/, '');
    if (!(base in INDEXED) || base === name) return [{ name, schema: property }];
    return Array.from({ length: FEW }, (_, index) => ({ name: `${base}${index}`, schema: property }));
  });
  const nested = (schema.allOf ?? []).flatMap((part) => ('variants' in part ? [] : list(part)));
  const distinct = new Map([...own, ...nested].map((parameter) => [parameter.name, parameter]));
  return [...distinct.values()];
}

export function nextRequest(random: SeededRandom, seen: Seen): FuzzRequest {
  const method = random.chance(0.7) ? random.pick(FAVOURITES) : random.pick(METHODS);
  const parameters = parametersOf.get(method) ?? [];
  const variables = new Set([...method.path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]));
  let path = method.path.replace(/\{([^}]+)\}/g, (_, name: string) => {
    const schema = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
    return encodeURIComponent(value(name, schema, random, seen)) || 'x';
  });
  const params: [string, string][] = [];
  for (const { name, schema } of parameters) {
    if (variables.has(name)) continue;
    const wanted = schema.optional ? likelihood(name, parameters.length) : 0.97;
    if (random.chance(wanted)) params.push([name, value(name, schema, random, seen)]);
  }
  if (random.chance(0.02)) params.push([junk(random) || 'unknown', junk(random)]);
  if (random.chance(0.01)) path += `/${encodeURIComponent(junk(random))}`;
  return { ...written(random, method, path, params), as: identity(random) };
}

/** A VM has hundreds of options: a request names a few of them, disks first. */
function likelihood(name: string, count: number): number {
  if (/^(scsi|virtio|ide|sata)[0-2]$/.test(name)) return 0.12;
  if (/^(net0|efidisk0|delete|unused0|boot|cores|memory|name|force|purge|full)$/.test(name)) return 0.1;
  if (/^(skiplock|vmgenid|args|lock|arch|hookscript)$/.test(name)) return 0.005;
  return count > 30 ? 0.008 : 0.2;
}

function identity(random: SeededRandom): FuzzRequest['as'] {
  const roll = random.next();
  return roll < 0.85 ? 'root' : roll < 0.92 ? 'ticket' : roll < 0.99 ? 'limited' : 'nobody';
}

function written(
  random: SeededRandom,
  { method }: MethodSchema,
  path: string,
  params: readonly [string, string][],
): Omit<FuzzRequest, 'as'> {
  const form = params
    .map(([name, text]) => `${encodeURIComponent(name)}=${encodeURIComponent(text)}`)
    .join('&');
  const inQuery = method === 'GET' || method === 'DELETE';
  const roll = random.next();
  if (roll < 0.005)
    return {
      method,
      path,
      body: junk(random) || 'x',
      contentType: random.pick(['text/plain', 'application/json']),
    };
  if (inQuery) return { method, path: form ? `${path}?${form}` : path, body: null, contentType: undefined };
  if (roll < 0.1) {
    return {
      method,
      path,
      body: JSON.stringify(Object.fromEntries(params)),
      contentType: 'application/json',
    };
  }
  return {
    method,
    path,
    body: form || null,
    contentType: form ? 'application/x-www-form-urlencoded' : undefined,
  };
}
