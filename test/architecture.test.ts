import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { linksOf, unusedExports } from '../scripts/unused-exports.mjs';
import { ACTION_OF } from '../src/plan/step-actions.js';

const SRC = join(dirname(fileURLToPath(import.meta.url)), '../src');

/** Which rooms a room may import from. The direction of the whole tree is this table. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  model: [],
  formats: ['model'],
  config: ['model', 'formats'],
  design: ['model', 'formats', 'config', 'secrets'],
  plan: ['model', 'formats', 'config', 'design', 'observe'],
  health: ['model', 'formats', 'config', 'design', 'observe'],
  secrets: ['model', 'formats'],
  clients: ['model', 'formats'],
  observe: ['model', 'formats', 'config', 'design', 'clients'],
  apply: ['model', 'formats', 'config', 'design', 'plan', 'observe', 'health', 'secrets', 'clients'],
  export: ['model', 'formats', 'config', 'design', 'plan', 'observe'],
  lab: ['model', 'formats', 'secrets', 'clients'],
  session: [
    'model',
    'formats',
    'config',
    'design',
    'plan',
    'health',
    'secrets',
    'clients',
    'observe',
    'apply',
    'lab',
  ],
  // Front ends: what a cluster is and does comes from the session; the rest computes, writes texts, or keeps files.
  controller: ['model', 'formats', 'health', 'clients', 'session'],
  cli: [
    'model',
    'formats',
    'config',
    'design',
    'health',
    'secrets',
    'export',
    'session',
    'controller',
    'dashboard',
  ],
  dashboard: ['model', 'formats', 'config', 'design', 'health', 'secrets', 'export', 'session'],
};

/** The file of each room whose header says what the room is and what it may touch. */
const MAIN_FILE: Readonly<Record<string, string>> = {
  model: 'error.ts',
  formats: 'proxmox/vm-config.ts',
  config: 'load.ts',
  design: 'design-cluster.ts',
  plan: 'plan-cluster.ts',
  health: 'assess.ts',
  secrets: 'store.ts',
  clients: 'read-limited.ts',
  observe: 'observe.ts',
  apply: 'run.ts',
  export: 'qm.ts',
  lab: 'index.ts',
  session: 'session.ts',
  controller: 'controller.ts',
  cli: 'app.ts',
  dashboard: 'server/serve.ts',
};

/** Folders of `plan`, each using those before it. What puts them together is beside them in `plan` itself. */
const PLAN_FOLDERS = [
  'effects',
  'facts',
  'drift',
  'ha',
  'access',
  'drives',
  'machines',
  'kubernetes',
  'recovery',
  'vms',
  'roll',
  'hosts',
  'capacity',
  'check',
  'overview',
  'adopt',
];

/** Rooms that compute and do nothing else. */
const PURE = ['model', 'formats', 'config', 'design', 'plan', 'health', 'export'];

interface Import {
  readonly file: string;
  readonly target: string;
  readonly typeOnly: boolean;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function importsOf(path: string): Import[] {
  const text = readFileSync(path, 'utf8');
  const found: Import[] = [];
  for (const match of text.matchAll(/^(import|export)\s+(type\s+)?[^;]*?from\s+'([^']+)'/gm)) {
    found.push({ file: path, target: match[3] ?? '', typeOnly: match[2] !== undefined });
  }
  for (const match of text.matchAll(/import\('([^']+)'\)|^import\s+'([^']+)'/gm)) {
    found.push({ file: path, target: match[1] ?? match[2] ?? '', typeOnly: false });
  }
  return found;
}

/** Whether a file exports a name itself or passes it on. */
function offers(file: string, name: string): boolean {
  if (!existsSync(file)) return false;
  const { own, taken } = linksOf(file);
  return own.includes(name) || (file.endsWith('/index.ts') && taken.some((one) => one.name === name));
}

const files = sources(SRC);
const production = files.filter((path) => !path.endsWith('.test.ts'));

describe('architecture', () => {
  it('has only the rooms it knows', () => {
    const rooms = readdirSync(SRC, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(rooms.map((room) => room.name).filter((name) => !(name in MAY_IMPORT))).toEqual([]);
  });

  it.each(Object.keys(MAY_IMPORT))('has a room %s that says what it is and what it may touch', (room) => {
    const text = readFileSync(join(SRC, room, MAIN_FILE[room] ?? 'index.ts'), 'utf8');
    const header = (/^\/\*\*[\s\S]*?\*\//.exec(text)?.[0] ?? '').replace(/\s+\*\s+/g, ' ');
    expect(header).toMatch(new RegExp(`Room .${room}.: \\w.+\\. May touch: \\w.+\\.`));
  });

  it('imports in one direction', () => {
    const wrong = production.flatMap((file) =>
      importsOf(file).flatMap(({ target }) => {
        if (!target.startsWith('.')) return [];
        const from = relative(SRC, file).split('/')[0] ?? '';
        const to = relative(SRC, join(dirname(file), target)).split('/')[0] ?? '';
        if (from === to || !(from in MAY_IMPORT) || MAY_IMPORT[from]?.includes(to)) return [];
        return [`${relative(SRC, file)} imports ${target}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('lets the lab use only the generated types of the clients', () => {
    const wrong = production
      .filter((file) => relative(SRC, file).startsWith('lab/'))
      .flatMap((file) =>
        importsOf(file).flatMap(({ target }) => {
          const to = relative(SRC, join(dirname(file), target));
          return target.startsWith('.') && to.startsWith('clients/') && !to.includes('/gen/')
            ? [`${relative(SRC, file)} imports ${target}`]
            : [];
        }),
      );
    expect(wrong).toEqual([]);
  });

  it('keeps pure rooms pure', () => {
    const wrong = production
      .filter((file) => PURE.includes(relative(SRC, file).split('/')[0] ?? ''))
      .flatMap((file) => {
        const text = readFileSync(file, 'utf8');
        const impure = importsOf(file)
          .filter(({ target }) => target.startsWith('node:') || target === 'undici')
          .map(({ target }) => `${relative(SRC, file)} imports ${target}`);
        const clock = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\./.exec(text);
        return clock ? [...impure, `${relative(SRC, file)} uses ${clock[0]}`] : impure;
      });
    expect(wrong).toEqual([]);
  });

  // `observe/observed*` is the data that observers give; it has no I/O of its own.
  it('imports only types of clients and observers from pure rooms', () => {
    const wrong = production
      .filter((file) => PURE.includes(relative(SRC, file).split('/')[0] ?? ''))
      .flatMap((file) =>
        importsOf(file).flatMap(({ target, typeOnly }) => {
          const to = relative(SRC, join(dirname(file), target)).split('/')[0] ?? '';
          return target.startsWith('.') &&
            ['observe', 'clients', 'secrets'].includes(to) &&
            !typeOnly &&
            !/observe\/observed[\w-]*\.js$/.test(target)
            ? [`${relative(SRC, file)} imports ${target}`]
            : [];
        }),
      );
    expect(wrong).toEqual([]);
  });

  it('plans in one direction: a folder of plan uses those before it', () => {
    const wrong = production
      .filter((file) => /^plan\/\w+\//.test(relative(SRC, file)))
      .flatMap((file) =>
        importsOf(file).flatMap(({ target }) => {
          const folderOf = (path: string) => PLAN_FOLDERS.indexOf(relative(SRC, path).split('/')[1] ?? '');
          const to = relative(SRC, join(dirname(file), target));
          if (!target.startsWith('.') || !/^plan\/\w+\//.test(to)) return [];
          const [from, used] = [folderOf(file), folderOf(join(SRC, to))];
          return from >= 0 && used >= 0 && used <= from ? [] : [`${relative(SRC, file)} imports ${target}`];
        }),
      );
    expect(wrong).toEqual([]);
  });

  it('exports what another file imports, or the library; see scripts/unused-exports.mjs', () => {
    expect(unusedExports()).toEqual([]);
  });

  it('finds what a file exports, and what it takes from others', () => {
    const text = [
      "import { type A, b as c } from './architecture.test.js';",
      "import * as all from './docs.test.js';",
      "export const one = await import('./wording.test.js');",
      'export async function two() {}',
      "export type { Four } from './shard.test.js';",
    ].join('\n');
    const { own, taken } = linksOf(join(SRC, '../test/x.ts'), text);
    expect(own).toEqual(['one', 'two']);
    expect(taken.map(({ target, name }) => [relative(join(SRC, '../test'), target), name])).toEqual([
      ['architecture.test.ts', 'A'],
      ['architecture.test.ts', 'b'],
      ['docs.test.ts', '*'],
      ['shard.test.ts', 'Four'],
      ['wording.test.ts', '*'],
    ]);
  });

  it('has what the measurements of bench import', () => {
    const folder = join(SRC, '../bench');
    const wrong = readdirSync(folder)
      .filter((name) => name.endsWith('.mjs'))
      .flatMap((name) =>
        linksOf(join(folder, name)).taken.flatMap(({ target, name: used }) =>
          target.startsWith(SRC) && !offers(target, used)
            ? [`${name}: ${used} of ${relative(SRC, target)}`]
            : [],
        ),
      );
    expect(wrong).toEqual([]);
  });

  it('reads the kind of a step from the step, never from its id', () => {
    const kinds = Object.keys(ACTION_OF).join('|');
    const ids = new RegExp(`['"\\x60](?:${kinds}):`);
    const wrong = production.filter((file) => {
      const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      return ids.test(code) || /\bstep\w*\.id\.(?:startsWith|slice|split|match|replace)\(/.test(code);
    });
    expect(wrong.map((file) => relative(SRC, file))).toEqual([]);
  });

  it('waits by the monotonic clock', () => {
    const wrong = production.filter((file) => /clock\.now\(\) [+<>]/.test(readFileSync(file, 'utf8')));
    const waiting = wrong
      .map((file) => relative(SRC, file))
      .filter((file) => /^(apply|session)\//.test(file));
    expect(waiting).toEqual([]);
  });

  it('has no barrels but files called index', () => {
    const barrels = production.filter((file) => {
      const code = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
      return code.trim() !== '' && /^(\s*export\s[^;]*?\sfrom\s+'[^']+';)+\s*$/.test(code);
    });
    expect(barrels.filter((file) => !file.endsWith('/index.ts')).map((file) => relative(SRC, file))).toEqual(
      [],
    );
  });

  it('writes to the terminal through views alone', () => {
    const wrong = production.filter(
      (file) =>
        !relative(SRC, file).startsWith('cli/') &&
        /\bconsole\.|process\.std(out|err)/.test(readFileSync(file, 'utf8')),
    );
    expect(wrong.map((file) => relative(SRC, file))).toEqual([]);
  });
});

describe('YAML', () => {
  /** Edits the user's own file in place, and needs the library's document for it. */
  const ALLOWED = ['formats/text/yaml-text.ts', 'config/edit/yaml-places.ts'];

  it('is read through formats/text/yaml-text.ts, which is linear and quotes nothing', () => {
    const readers = sources(SRC)
      .filter((path) => !/\.test\.ts$/.test(path))
      .filter((path) =>
        [...readFileSync(path, 'utf8').matchAll(/import \{([^}]*)\} from 'yaml'/g)].some(([, names]) =>
          /\b(parse|parseDocument|parseAllDocuments|Composer|Parser)\b/.test(names ?? ''),
        ),
      )
      .map((path) => relative(SRC, path));
    expect(readers.sort()).toEqual([...ALLOWED].sort());
  });
});
