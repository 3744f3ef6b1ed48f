// Exports of src that no other file imports and that are not part of the library: dead, or nobody else's business.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const READERS = ['src', 'test', 'scripts', 'bench', 'examples'];

/** Loaded by scripts/generate-commands, which lists folders. */
const READ_BY_PATH = /src\/cli\/commands\/[\w-]+\/group\.ts$/;

/** What `package.json` exports, and the command itself. */
function entries() {
  const { exports: exported, bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  return [...Object.values(exported).map((one) => one.default), ...Object.values(bin)]
    .filter((path) => path?.endsWith('.js'))
    .map((path) => join(ROOT, path.replace(/^(\.\/)?dist\//, 'src/').replace(/\.js$/, '.ts')));
}

/** Product code: no tests, and nothing that a generator wrote. */
function productFiles(folder = join(ROOT, 'src')) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'gen' ? [] : productFiles(path);
    return /\.tsx?$/.test(entry.name) && !/\.(test|d)\.ts$/.test(entry.name) ? [path] : [];
  });
}

function sources(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : sources(path);
    return /\.m?[tj]sx?$/.test(entry.name) && !/\.d\.m?ts$/.test(entry.name) ? [path] : [];
  });
}

/** The source behind an import; what is built is that of `src`. */
function resolve(from, target) {
  if (!target.startsWith('.')) return undefined;
  const path = join(dirname(from), target).replace(/^(.*)\/(?:dist|\.build)\//, '$1/src/');
  const sources = ['.ts', '.tsx'].map((ending) => path.replace(/\.js$/, ending));
  return sources.find((source) => existsSync(source)) ?? path;
}

const DECLARED =
  /^export (?:(?:declare|abstract|async) )*(?:interface|type|function\*?|const|let|class|enum) (\w+)/gm;
const FROM = /^(?:import|export)\s+(?:type\s+)?(\{[^}]*\}|\*(?:\s+as\s+\w+)?|\w+)\s+from\s+'(\.[^']+)'/gm;
const LOADED = /import\('(\.[^']+)'\)/g;

/** Names of a list in braces, as the other file has them. */
const listed = (text) => text.split(',').flatMap((one) => /^\s*(?:type\s+)?(\w+)/.exec(one)?.[1] ?? []);

/** What a file exports itself, and what it takes from others or passes on (`*`: all of it). Formatted code is enough. */
export function linksOf(path, text = readFileSync(path, 'utf8')) {
  const own = [...text.matchAll(DECLARED)].map(([, name]) => name);
  const taken = [...text.matchAll(FROM)].flatMap(([, what, from]) => {
    const target = resolve(path, from);
    const braces = /\{([^}]*)\}/.exec(what);
    return braces ? listed(braces[1]).map((name) => ({ target, name })) : [{ target, name: '*' }];
  });
  const whole = [...text.matchAll(LOADED)].map(([, from]) => ({ target: resolve(path, from), name: '*' }));
  return { own, taken: [...taken, ...whole] };
}

/** `file name` of each. */
export function unusedExports() {
  const used = new Map();
  const wholly = new Set(entries());
  const own = new Map();
  for (const path of READERS.flatMap((folder) => sources(join(ROOT, folder)))) {
    const links = linksOf(path);
    own.set(path, links.own);
    for (const { target, name } of links.taken) {
      if (name === '*') wholly.add(target);
      else used.set(target, (used.get(target) ?? new Set()).add(name));
    }
  }
  return productFiles()
    .filter((path) => !wholly.has(path) && !READ_BY_PATH.test(path))
    .flatMap((path) =>
      own
        .get(path)
        .filter((name) => !used.get(path)?.has(name))
        .map((name) => `${relative(ROOT, path)} ${name}`),
    );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const unused = unusedExports();
  process.stdout.write(`${[...unused, `${unused.length} exports that nobody imports`].join('\n')}\n`);
}
