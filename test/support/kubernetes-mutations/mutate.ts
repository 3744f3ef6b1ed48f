/** One change to a good object: a value of another type or form, a field less, a field more, an item twice. */

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
type Path = readonly (string | number)[];

/** Numbers from 0 up to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

const TEXTS = [
  '',
  ' ',
  'a',
  'A',
  'a_b',
  'a.b',
  '-a',
  'a-',
  'a b',
  'é',
  '0',
  '1',
  '80',
  '-1',
  '1.5',
  '100m',
  '1Gi',
  '1G',
  '1e3',
  '0.5m',
  '50%',
  '101%',
  '-5%',
  'true',
  'a/b',
  '/a',
  '../a',
  '/a/../b',
  'a:b',
  'example.org/x',
  'Example.org/x',
  'example.org/',
  '/x',
  'a/b/c',
  '*',
  '*.example.org',
  'a..b',
  'x'.repeat(64),
  'x'.repeat(254),
  `${'x'.repeat(64)}.b`,
  '10.0.0.1',
  '10.0.0.256',
  '010.0.0.1',
  '10.0.0.0/8',
  '10.0.0.1/8',
  '10.0.0.0/33',
  'fd00::1',
  'fd00::/64',
  '::ffff:1.2.3.4',
  '127.0.0.1',
  '169.254.1.1',
  '224.0.0.1',
  '0.0.0.0',
  'Always',
  'Never',
  'TCP',
  'tcp',
  'SCTP',
  'Recreate',
  'OnDelete',
  'Exists',
  'In',
  'ClusterIP',
  'NodePort',
  'ExternalName',
  'None',
  'Default',
  'Delete',
  'Retain',
  'Recycle',
  'Block',
  'ReadWriteMany',
  'ReadWriteOncePod',
  'Utilization',
  'NoSchedule',
  'kubernetes.io/hostname',
  'node.kubernetes.io/x',
  'kubernetes.io/tls',
  'system:x',
  'metadata.name',
  'metadata.x',
  "metadata.labels['a']",
  'status.podIP',
  'requests.storage',
  'hugepages-2Mi',
  'storage',
  'cpu',
  'ephemeral-storage',
  'Z!!!',
  'YQ==',
  'kube-system',
  'Service',
  'default',
] as const;
const NUMBERS = [
  0, 1, -1, 2, 1.5, 80, 443, 65535, 65536, 3600, 86400, 86401, 2147483647, 2147483648, 1e12, 100, 101,
] as const;

const isObject = (value: Json | undefined): value is { readonly [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every place of the object, the object itself left out. */
function placesOf(value: Json, path: Path = []): Path[] {
  const own: Path[] = path.length > 0 ? [path] : [];
  if (Array.isArray(value))
    return [...own, ...value.flatMap((item, index) => placesOf(item, [...path, index]))];
  if (!isObject(value)) return own;
  return [...own, ...Object.entries(value).flatMap(([key, item]) => placesOf(item, [...path, key]))];
}

function at(value: Json, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((here, step) => {
    if (Array.isArray(here)) return here[Number(step)];
    return isObject(here) ? here[String(step)] : undefined;
  }, value);
}

/** `undefined` takes the place away. */
function withValue(value: Json, [step, ...rest]: Path, fresh: Json | undefined): Json {
  if (step === undefined) return value;
  const next = (old: Json | undefined) => (rest.length > 0 ? withValue(old ?? {}, rest, fresh) : fresh);
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => {
      if (index !== step) return [item];
      const changed = next(item);
      return changed === undefined ? [] : [changed];
    });
  }
  if (!isObject(value)) return value;
  const changed = next(value[String(step)]);
  const others = Object.entries(value).filter(([key]) => key !== String(step));
  return Object.fromEntries(changed === undefined ? others : [...others, [String(step), changed]]);
}

/** `keep` names places that stay: where the request goes says the same. */
export function mutated(
  value: Json,
  random: () => number,
  keep: readonly string[],
): { value: Json; what: string } {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const places = placesOf(value).filter((path) => !keep.includes(path.join('.')));
  const path = pick(places);
  const old = at(value, path);
  const say = (fresh: Json | undefined) => ({
    value: withValue(value, path, fresh),
    what: `${path.join('.')} = ${fresh === undefined ? '(gone)' : JSON.stringify(fresh).slice(0, 120)}`,
  });
  const kind = random();
  if (kind < 0.12) return say(undefined);
  if (kind < 0.18) return say(pick<Json>(['x', 5, true, null, [], {}, ['x'], { x: 'y' }]));
  if (Array.isArray(old)) {
    if (kind < 0.6 && old.length > 0) return say([...old, pick(old)]);
    return say(pick<Json>([[], [...old, ''], [...old, {}], [...old, null]]));
  }
  if (isObject(old)) {
    const key = kind < 0.5 ? pick(['zzz', 'unknown']) : pick(TEXTS);
    return say({ ...old, [key]: pick<Json>(['x', '', '1', 1]) });
  }
  if (typeof old === 'number') return say(random() < 0.8 ? pick(NUMBERS) : pick(TEXTS));
  if (typeof old === 'boolean') return say(pick<Json>([!old, 'true', 1]));
  return say(random() < 0.93 ? pick(TEXTS) : pick(NUMBERS));
}
