/** What is published: packed, put where npm would put it, and used from there. Needs no network. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { smallFile } from '../support/small-file.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const packSchema = z.object({
  filename: z.string(),
  files: z.array(z.object({ path: z.string() })),
});
const lockSchema = z.object({
  packages: z.record(z.string(), z.object({ dev: z.boolean().optional(), optional: z.boolean().optional() })),
});
const manifestSchema = z.object({
  version: z.string(),
  scripts: z.record(z.string(), z.string()),
  dependencies: z.record(z.string(), z.string()),
  exports: z.record(z.string(), z.union([z.string(), z.record(z.string(), z.string())])),
});

const manifest = manifestSchema.parse(readJson(join(ROOT, 'package.json')));
const entries = Object.keys(manifest.exports).filter((entry) => !entry.endsWith('.json'));
let folder: string;
let files: readonly string[];

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** Without the settings that a surrounding `npm test` hands down. */
function run(command: string, args: readonly string[], cwd = folder): string {
  const { PATH, HOME } = process.env;
  return execFileSync(command, args, {
    cwd,
    env: { PATH, HOME, CI: 'true' },
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

/** What `npm install --omit=dev` would bring along. */
function dependencies(): string[] {
  const { packages } = lockSchema.parse(readJson(join(ROOT, 'package-lock.json')));
  return Object.entries(packages)
    .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
    .map(([path]) => path);
}

/** All of them are taken from this checkout. */
function linkDependencies(): void {
  for (const path of dependencies()) {
    // Nested packages come with the one they are in.
    if (path.lastIndexOf('node_modules/') > 0) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(folder, path));
  }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-package-'));
  // The build is made before the tests; a second one could take it away from under them.
  const output = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT);
  // An array up to npm 11, an object by package name since.
  const [packed] = Object.values(
    z.union([z.array(packSchema), z.record(z.string(), packSchema)]).parse(JSON.parse(output)),
  );
  if (!packed) throw new Error('npm pack packed nothing');
  files = packed.files.map((file) => file.path);

  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'somebody', private: true, type: 'module' }),
  );
  const installed = join(folder, 'node_modules/oxherd');
  mkdirSync(installed, { recursive: true });
  run('tar', ['-xzf', join(folder, packed.filename), '-C', installed, '--strip-components=1']);
  linkDependencies();
  run('npm', ['rebuild', '--offline', '--ignore-scripts', 'oxherd']);
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('holds the bundle, its types and what people read, and nothing else', () => {
    const outside = files.filter((path) => !/^dist\/|^(package\.json|README\.md|LICENSE)$/.test(path));
    expect(outside).toEqual([]);
    expect(files.filter((path) => /\.test\.|fixtures|(?<!\.d)\.ts$|\.built$/.test(path))).toEqual([]);
    expect(files).toEqual(
      expect.arrayContaining(['dist/bin/oxherd.js', 'dist/oxherd.schema.json', 'dist/oxherd.1.gz']),
    );
  });

  it('holds the page of the dashboard, compressed', () => {
    const page = files.filter((path) => path.startsWith('dist/ui/'));
    expect(page.map((path) => path.replace('dist/ui/', '')).sort()).toEqual([
      'app.css.gz',
      'app.js.gz',
      'icon.svg.gz',
      'index.html.gz',
    ]);
  });

  it('runs nothing when it is installed', () => {
    expect(
      Object.keys(manifest.scripts).filter((name) => /^(pre|post)?(install|prepare)$/.test(name)),
    ).toEqual([]);
  });

  it('holds the licence of every package that is inside the bundle', () => {
    const text = readFileSync(join(folder, 'node_modules/oxherd/dist/THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['undici', 'zod', 'yaml', '@connectrpc/connect'])
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
    // Those are installed beside it, with their own.
    for (const name of Object.keys(manifest.dependencies)) expect(text).not.toContain(`${name} `);
  });

  it('gives a command that runs, in a folder that holds nothing else', () => {
    const oxherd = join(folder, 'node_modules/.bin/oxherd');
    expect(run(oxherd, ['--version'])).toBe(`${manifest.version}\n`);
    const config = join(ROOT, 'examples/homelab/oxherd.yaml');
    expect(run(oxherd, ['-c', config, 'validate'])).toContain('is valid: 3 control planes, 3 workers');
  });

  it('holds the schema that the command prints', () => {
    const printed: unknown = JSON.parse(run(join(folder, 'node_modules/.bin/oxherd'), ['schema']));
    expect(printed).toMatchObject({ $id: 'urn:oxherd:config', title: 'oxherd.yaml' });
    expect(readJson(join(folder, 'node_modules/oxherd/dist/oxherd.schema.json'))).toEqual(printed);
  });

  it.each(entries)('offers %s to programs', (entry) => {
    const name = entry.replace('.', 'oxherd');
    const names = run(process.execPath, [
      '-e',
      `import('${name}').then((m) => console.log(Object.keys(m).join()))`,
    ]);
    const expected = {
      '.': 'openSession',
      './lab': 'startLab',
      './proxmox': 'connectProxmox',
      './talos': 'connectTalos',
    }[entry];
    expect(names.trim().split(',')).toContain(expected);
  });

  it('has types for each of them', () => {
    const lines = [
      "import { design, loadConfig, openSession, OxherdError, type Plan, type Session } from 'oxherd';",
      "import { labParts, startLab } from 'oxherd/lab';",
      "import { connectProxmox, type ProxmoxClient } from 'oxherd/proxmox';",
      "import { connectTalos } from 'oxherd/talos';",
      "const { config } = loadConfig({ path: 'a', text: '', readText: () => undefined });",
      "if (!config) throw new OxherdError('mine', 'no config');",
      'export const made = design(config).nodes.map((node) => node.name.length);',
      'export const lab = startLab({ parts: labParts() });',
      "export const open: Promise<Session> = openSession({ config, directory: '.' }, { kind: 'lab' });",
      'export const made2: Promise<Plan> = open.then((session) => session.plan()).then(({ plan }) => plan);',
      'export const connect: (options: Parameters<typeof connectProxmox>[0]) => ProxmoxClient = connectProxmox;',
      'export { connectTalos };',
      '// @ts-expect-error: types are checked, not taken for any',
      'export const wrong: number = made;',
    ];
    writeFileSync(join(folder, 'user.ts'), lines.join('\n'));
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          target: 'es2023',
          strict: true,
          noEmit: true,
          types: ['node'],
          typeRoots: [join(ROOT, 'node_modules/@types')],
        },
        files: ['user.ts'],
      }),
    );
    const compile = spawnSync(
      process.execPath,
      [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', folder],
      {
        encoding: 'utf8',
      },
    );
    expect(compile).toMatchObject({ stdout: '', status: 0 });
  }, 60_000);

  it('runs the example of docs/library.md: a session on the lab, a plan, its events', () => {
    const [, example = ''] =
      /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'docs/library.md'), 'utf8')) ?? [];
    const here = join(folder, 'example');
    mkdirSync(here);
    writeFileSync(join(here, 'oxherd.yaml'), smallFile());
    writeFileSync(join(here, 'example.ts'), example);
    writeFileSync(
      join(here, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          module: 'nodenext',
          target: 'es2023',
          strict: true,
          types: ['node'],
          typeRoots: [join(ROOT, 'node_modules/@types')],
        },
        files: ['example.ts'],
      }),
    );
    expect(run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', here])).toBe('');
    const lines = run(process.execPath, ['example.js'], here).trimEnd().split('\n');
    const steps = Number(/^plan [0-9a-f]{12}: (\d+) steps, 0 problems$/.exec(lines[0] ?? '')?.[1]);
    expect(steps).toBeGreaterThan(10);
    expect(lines.slice(1)).toHaveLength(steps + 1);
    expect(lines.slice(1, -1).every((line) => line.startsWith('done    '))).toBe(true);
    expect(lines.at(-1)).toBe('done');
  }, 120_000);
});
