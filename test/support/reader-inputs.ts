/** Inputs for the readers of files: real ones, changed in their structure, now and then by bytes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

export const YAML_CONFIGS = readdirSync(join(ROOT, 'examples')).map((name) =>
  read(`examples/${name}/oxherd.yaml`),
);
export const TFVARS = [read('test/fixtures/config/from-tfvars/base.tfvars')];

/** What breaks readers: signs of every format, words of any length, depth, anchors, numbers at their edges. */
const NASTY: readonly ((random: Random) => string)[] = [
  (random) =>
    pick(random, [
      '{',
      '}',
      '[',
      ']',
      ':',
      ': ',
      '-',
      '- ',
      '? ',
      '"',
      "'",
      '|\n',
      '>\n',
      '#',
      ',',
      '\n',
      '\t',
      '\r',
      '\0',
    ]),
  (random) =>
    pick(random, [
      '&a ',
      '*a',
      '<<: *a',
      '!!binary x',
      '!x ',
      '%TAG ! x\n',
      '---\n',
      '...\n',
      '\ufeff',
      '\ud800',
    ]),
  (random) =>
    pick(random, [
      '${',
      `$\{local.a}`,
      '%{ if x }',
      '<<EOT\n',
      '<<-EOT\n',
      'EOT\n',
      'locals {\n',
      '/*',
      '*/',
      '//',
      '$${',
      '\\u00',
      '"\\x"',
    ]),
  (random) =>
    pick(random, [
      'null',
      '~',
      'true',
      '1e999',
      '-0',
      '0x1F',
      '9'.repeat(400),
      '1_000',
      '2026-11-15',
      '.inf',
      '""',
      '{}',
      '[]',
    ]),
  (random) =>
    pick(random, [
      '__proto__',
      'constructor',
      'toString',
      'sops',
      'ENC[AES256_GCM,data:x,iv:y,tag:z,type:str]',
      'token: abc',
      'secret',
    ]),
  (random) =>
    pick(random, ['a', ' ', '[', '{a: ', '- ', '(', '"', '\\', 'token', 'a@', '${', '\n', '  ']).repeat(
      1 + Math.floor(random() ** 4 * 20_000),
    ),
];

/** One change of a text at a random place; most of them move, copy, drop or nest whole lines. */
export function mutateText(text: string, random: Random): string {
  const lines = text.split('\n');
  const at = Math.floor(random() * lines.length);
  const line = lines[at] ?? '';
  switch (Math.floor(random() * 10)) {
    case 0:
      return [...lines.slice(0, at), ...lines.slice(at + 1)].join('\n');
    case 1:
      return [...lines.slice(0, at), line, ...lines.slice(at)].join('\n');
    case 2: {
      const other = Math.floor(random() * lines.length);
      return lines
        .map((each, index) => (index === at ? (lines[other] ?? '') : index === other ? line : each))
        .join('\n');
    }
    case 3:
      return lines.map((each, index) => (index >= at ? `  ${each}` : each)).join('\n');
    case 4:
      return text.slice(0, Math.floor(random() * text.length));
    case 5:
      return lines
        .map((each, index) =>
          index === at ? each.replace(/([:=]\s*).*/, `$1${pick(random, NASTY)(random)}`) : each,
        )
        .join('\n');
    case 6:
      return lines
        .map((each, index) =>
          index === at ? each.replace(/[\w-]+/, pick(random, NASTY)(random).slice(0, 300)) : each,
        )
        .join('\n');
    case 7: {
      const [from, to] = [random(), random()]
        .map((part) => Math.floor(part * text.length))
        .sort((a, b) => a - b);
      return text.slice(0, from) + text.slice(to);
    }
    case 8: {
      const place = Math.floor(random() * text.length);
      return (
        text.slice(0, place) + String.fromCharCode(Math.floor(random() * 0x3000)) + text.slice(place + 1)
      );
    }
    default: {
      const place = Math.floor(random() * text.length);
      return text.slice(0, place) + pick(random, NASTY)(random) + text.slice(place);
    }
  }
}

const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x'.repeat(5_000),
  [],
  {},
  [[[[]]]],
  { a: { b: [] } },
];

/** One change inside a value that becomes JSON: a key dropped, doubled, or given another value or type. */
export function mutateJson(value: unknown, random: Random): unknown {
  if (random() < 0.15 || typeof value !== 'object' || value === null) return pick(random, VALUES);
  if (Array.isArray(value)) {
    const at = Math.floor(random() * (value.length + 1));
    const item: unknown = value[at];
    return random() < 0.3
      ? [...value, item]
      : value.map((each: unknown, index) => (index === at ? mutateJson(each, random) : each));
  }
  const entries = Object.entries(value);
  const at = Math.floor(random() * entries.length);
  if (random() < 0.2) return Object.fromEntries(entries.filter((_, index) => index !== at));
  return Object.fromEntries(
    entries.map(([key, each], index) => [key, index === at ? mutateJson(each, random) : each]),
  );
}
