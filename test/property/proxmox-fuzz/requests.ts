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

/** The calls that make, move and free volumes, with how often each comes. */
const FAVOURITES: readonly (readonly [weight: number, method: string])[] = [
  [16, 'POST /nodes/{node}/qemu'],
  [10, 'PUT /nodes/{node}/qemu/{vmid}/config'],
  [6, 'POST /nodes/{node}/qemu/{vmid}/config'],
  [6, 'POST /nodes/{node}/qemu/{vmid}/move_disk'],
  [4, 'PUT /nodes/{node}/qemu/{vmid}/resize'],
  [3, 'PUT /nodes/{node}/qemu/{vmid}/unlink'],
  [2, 'DELETE /nodes/{node}/qemu/{vmid}'],
  [3, 'POST /nodes/{node}/qemu/{vmid}/clone'],
  [1, 'POST /nodes/{node}/qemu/{vmid}/template'],
  [2, 'POST /nodes/{node}/qemu/{vmid}/migrate'],
  [4, 'POST /nodes/{node}/qemu/{vmid}/snapshot'],
  [2, 'POST /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/rollback'],
  [2, 'DELETE /nodes/{node}/qemu/{vmid}/snapshot/{snapname}'],
  [4, 'POST /nodes/{node}/qemu/{vmid}/status/start'],
  [3, 'POST /nodes/{node}/qemu/{vmid}/status/stop'],
  [1, 'POST /nodes/{node}/qemu/{vmid}/status/reboot'],
  [3, 'POST /nodes/{node}/storage/{storage}/content'],
  [1, 'DELETE /nodes/{node}/storage/{storage}/content/{volume}'],
  [1, 'POST /nodes/{node}/storage/{storage}/download-url'],
  [3, 'GET /nodes/{node}/storage/{storage}/content'],
  [3, 'GET /nodes/{node}/qemu/{vmid}/config'],
];

const LOTTERY: readonly MethodSchema[] = FAVOURITES.flatMap(([weight, name]) => {
  const found = METHODS.find(({ method, path }) => `${method} ${path}` === name);
  if (!found) throw new Error(`the API has no ${name}`);
  return Array<MethodSchema>(weight).fill(found);
});

const ROOT_ONLY =
  /^(skiplock|vmgenid|args|lock|arch|hookscript|keepActive|migratedfrom|migration_\w+|stateuri|force-cpu|nets-host-mtu|force)$/;

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

/** Not what switches a host off: the other one has no quorum then, and refuses nearly all of what follows. */
const ANY = METHODS.filter(({ method, path }) => `${method} ${path}` !== 'POST /nodes/{node}/status');

export function nextRequest(random: SeededRandom, seen: Seen): FuzzRequest {
  const method = random.chance(0.75) ? random.pick(LOTTERY) : random.pick(ANY);
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
  if (/^scsi[01]$/.test(name)) return 0.3;
  if (/^(scsi|virtio|ide|sata)[0-2]$/.test(name)) return 0.08;
  if (name.endsWith('digest')) return 0.03;
  if (/^(net0|efidisk0|delete|unused0|boot|cores|memory|name|purge|full|protection)$/.test(name)) return 0.1;
  if (/^(target-vmid|storage|target-disk)$/.test(name)) return 0.5;
  // Only root may: mostly the same answer.
  if (ROOT_ONLY.test(name)) return 0.005;
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
