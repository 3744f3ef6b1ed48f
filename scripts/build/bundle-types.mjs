// The types of the library in one file: of every module only the declarations that the entries lead to, each module as
// an ambient one, so that names need no changing. tsc writes one statement after the other from the first column on.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const START = /^(?:export|import|declare|interface|type|class|abstract|const|function|enum)\b/;
const DECLARED =
  /^(?:export )?(?:declare )?(?:default )?(?:abstract )?(?:type|interface|const|let|function|class|enum|namespace)\s+([\w$]+)/;
const BODY = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum|namespace)\b/;
const VALUE = /^export (?:declare )?(?:const|let|function)\b/;
const INSIDES = /\/\.build\/(?:apply|export|formats|health|lab|observe|plan)\//;
const FROM = /from\s+['"]([^'"]+)['"];?\s*$/;
const INLINE = /import\(['"]([^'"]+)['"]\)(?:\.([\w$]+))?/g;

/** Writes `types.d.ts` and one `.d.ts` per entry to `out`; the answer names the packages whose types are needed. */
export function bundleTypes(modules, out, entries, name) {
  const graph = new Graph(name);
  for (const path of Object.values(entries)) graph.keepAll(join(modules, path.replace(/\.js$/, '.d.ts')));
  writeFileSync(join(out, 'types.d.ts'), graph.print());
  for (const [entry, path] of Object.entries(entries)) {
    const up = '../'.repeat(entry.split('/').length - 1) || './';
    const text = `/// <reference path="${up}types.d.ts" />\nexport * from '${graph.nameOf(join(modules, path.replace(/\.js$/, '.d.ts')))}';\n`;
    writeFileSync(join(out, `${entry}.d.ts`), text);
  }
  return graph.packages;
}

class Graph {
  packages = new Set();
  #modules = new Map();

  #names = new Map();

  constructor(name) {
    this.name = name;
  }

  /** Short: modules name one another hundreds of times. */
  nameOf(path) {
    const known = this.#names.get(path) ?? `${this.name}/_/${this.#names.size.toString(36)}`;
    this.#names.set(path, known);
    return known;
  }

  module(path) {
    const known = this.#modules.get(path);
    if (known) return known;
    const parsed = parse(path);
    this.#modules.set(path, parsed);
    return parsed;
  }

  /** `typesOnly`: as `export type *` does; values are no use there. */
  keepAll(path, typesOnly = false) {
    const { statements } = this.module(path);
    for (const statement of statements) {
      if (typesOnly && VALUE.test(withoutComments(statement.text ?? '').trim())) continue;
      if (statement.kind === 'declaration' && statement.exported) this.keep(path, statement.name);
      if (statement.kind === 're-export') for (const { as } of statement.names) this.keep(path, as);
      if (statement.kind === 'star' && !statement.whole) {
        statement.kept = statement.whole = true;
        this.keepAll(statement.from, typesOnly || statement.typesOnly);
      }
    }
  }

  /** The declaration of a name, and what it speaks of. */
  keep(path, name) {
    const { statements } = this.module(path);
    let found = false;
    for (const statement of statements) {
      if (statement.kind === 'declaration' && statement.name === name) {
        found = true;
        if (statement.kept) continue;
        statement.kept = true;
        this.#follow(path, statement.text);
      } else if (statement.kind === 're-export' || statement.kind === 'import') {
        const one = statement.names.find(({ as }) => as === name);
        if (!one || one.kept) continue;
        found = one.kept = true;
        if (typeof statement.from !== 'string') this.packages.add(statement.from.package);
        else if (one.name === '*') this.keepAll(statement.from);
        else this.keep(statement.from, one.name);
      }
    }
    if (found) return;
    for (const statement of statements) {
      if (statement.kind !== 'star' || !this.#exports(statement.from, name)) continue;
      statement.kept = true;
      this.keep(statement.from, name);
    }
  }

  #exports(path, name) {
    return this.module(path).statements.some(
      (each) =>
        (each.kind === 'declaration' && each.name === name && each.exported) ||
        (each.kind === 're-export' && each.names.some(({ as }) => as === name)) ||
        (each.kind === 'star' && this.#exports(each.from, name)),
    );
  }

  #follow(path, text) {
    const { names } = this.module(path);
    for (const [word] of withoutComments(text).matchAll(/[\w$]+/g))
      if (names.has(word)) this.keep(path, word);
    for (const [, from, name] of text.matchAll(INLINE)) {
      const target = resolve(path, from);
      if (typeof target !== 'string') this.packages.add(target.package);
      else if (name) this.keep(target, name);
      else this.keepAll(target);
    }
  }

  print() {
    const nameOf = (path) => this.nameOf(path);
    const blocks = [...this.#modules].flatMap(([path, { statements }]) => {
      const lines = statements.flatMap((statement) => printed(statement, path, nameOf));
      return lines.length === 0 ? [] : [`declare module '${nameOf(path)}' {\n${lines.join('\n')}\n}`];
    });
    return `${blocks.join('\n')}\n`;
  }
}

function printed(statement, path, nameOf) {
  const target = (from) => (typeof from === 'string' ? nameOf(from) : from.text);
  if (statement.kind === 'star')
    return statement.kept
      ? [`export ${statement.typesOnly ? 'type ' : ''}* from '${target(statement.from)}';`]
      : [];
  if (statement.kind === 'declaration') {
    if (!statement.kept) return [];
    const text = statement.text.replace(INLINE, (whole, from) =>
      whole.replace(from, target(resolve(path, from))),
    );
    // Everything in an ambient module is declared; comments on insides are for those who write them.
    const shown = INSIDES.test(path)
      ? withoutComments(text)
          .replace(/\n\s*\n/g, '\n')
          .trim()
      : text;
    return [
      shown.replace(/^((?:\/\*\*[\s\S]*?\*\/\s*)?(?:export )?)declare /, '$1').replace(/^ {4,}/gm, indent),
    ];
  }
  if (statement.kind !== 'import' && statement.kind !== 're-export') return [];
  const kept = statement.names.filter((each) => each.kept);
  if (kept.length === 0) return [];
  const keyword = statement.kind === 'import' ? 'import' : 'export';
  const space = kept.find((each) => each.name === '*');
  const list = space
    ? `* as ${space.as}`
    : `{ ${kept.map((each) => (each.name === each.as ? each.as : `${each.name} as ${each.as}`)).join(', ')} }`;
  return [`${keyword} ${list} from '${target(statement.from)}';`];
}

const indent = (spaces) => ' '.repeat(spaces.length / 4);

function parse(path) {
  const statements = [];
  for (const text of split(readFileSync(path, 'utf8'))) {
    const code = withoutComments(text).trim();
    if (/^(?:export \{\};?)?$/.test(code) || /^import\s+['"]/.test(code)) continue;
    const [, from] = FROM.exec(code) ?? [];
    if (from === undefined) {
      const [, name] = DECLARED.exec(code) ?? [];
      if (name === undefined) throw new Error(`${path}: not understood: ${code.slice(0, 80)}`);
      statements.push({ kind: 'declaration', name, exported: code.startsWith('export'), text: text.trim() });
    } else if (/^export (?:type )?\*\s+from/.test(code)) {
      statements.push({ kind: 'star', from: resolve(path, from), typesOnly: code.startsWith('export type') });
    } else {
      const kind = code.startsWith('export') ? 're-export' : 'import';
      statements.push({ kind, names: namesIn(code), from: resolve(path, from) });
    }
  }
  const names = new Set(
    statements.flatMap((each) => [
      ...(each.name ? [each.name] : []),
      ...(each.names ?? []).map(({ as }) => as),
    ]),
  );
  return { statements, names };
}

/** A comment before a statement belongs to it; a union of types may have comments of its own inside. */
function split(text) {
  const found = [];
  let current = [];
  for (const line of text.split('\n')) {
    current.push(line);
    if (isWhole(withoutComments(current.join('\n')).trim())) {
      found.push(current.join('\n'));
      current = [];
    }
  }
  return found;
}

/** Bodies end with a brace in the first column, everything else with a semicolon outside of all brackets. */
function isWhole(code) {
  if (!START.test(code)) return false;
  if (BODY.test(code)) return /\n\}$|\{\s*\}$/.test(code);
  return code.endsWith(';') && depth(code) === 0;
}

function depth(code) {
  const bare = code.replace(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g, '').replaceAll('=>', '');
  return [...bare].reduce((sum, char) => sum + ('{(['.includes(char) ? 1 : '})]'.includes(char) ? -1 : 0), 0);
}

function namesIn(code) {
  const [, space] = /\* as ([\w$]+)/.exec(code) ?? [];
  if (space) return [{ name: '*', as: space }];
  const [, list = ''] = /\{([\s\S]*)\}/.exec(code) ?? [];
  return list
    .split(',')
    .map((each) => each.trim().replace(/^type\s+/, ''))
    .filter((each) => each !== '')
    .map((each) => {
      const [name, as = name] = each.split(/\s+as\s+/);
      return { name, as };
    });
}

function resolve(path, from) {
  if (from.startsWith('.')) return join(dirname(path), from.replace(/\.js$/, '.d.ts'));
  return { text: from, package: /^(?:@[^/]+\/)?[^/]+/.exec(from)?.[0] ?? from };
}

function withoutComments(text) {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
