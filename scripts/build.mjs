// Compiles src when a source is newer than the last build: modules to .build, for benches and the test of what a command
// loads, and from them to dist what is published: the command and the library as a bundle, with types, schema and notices.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { bundle, LIBRARY } from './build/bundle.mjs';
import { bundleTypes } from './build/bundle-types.mjs';
import { licenceNotices } from './build/licence-notices.mjs';
import { manPage } from './build/man-page.mjs';
import { buildPage } from './build/page.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
const modules = join(root, '.build');
const stamp = join(dist, '.built');

function newest(folder) {
  let time = statSync(folder).mtimeMs;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return time;
}

function inputTime() {
  const files = [
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/build.mjs',
  ].map((file) => statSync(join(root, file)).mtimeMs);
  return Math.max(newest(join(root, 'src')), newest(join(root, 'scripts/build')), ...files);
}

const force = process.argv.includes('--force');
const current = existsSync(stamp) && existsSync(modules) && statSync(stamp).mtimeMs >= inputTime();
if (current && !force) process.exit(0);

/** Beside the old one first: a build that fails leaves a working command behind. */
function replaceFolder(path, fresh) {
  rmSync(path, { recursive: true, force: true });
  try {
    renameSync(fresh, path);
  } catch {
    cpSync(fresh, path, { recursive: true });
    rmSync(fresh, { recursive: true, force: true });
  }
}

const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
const freshModules = join(root, '.build-new');
const fresh = join(root, '.dist-new');
for (const folder of [freshModules, fresh]) rmSync(folder, { recursive: true, force: true });
for (const args of [
  ['-p', 'tsconfig.build.json', '--outDir', freshModules],
  ['--noEmit', '-p', 'src/dashboard/web'],
]) {
  const compile = spawnSync(process.execPath, [tsc, ...args], { stdio: 'inherit', cwd: root });
  if (compile.status === 0) continue;
  rmSync(freshModules, { recursive: true, force: true });
  process.exit(compile.status ?? 1);
}
replaceFolder(modules, freshModules);

mkdirSync(fresh);
const { name, version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const inside = await bundle(modules, fresh, Object.keys(dependencies));
for (const path of await buildPage(root, join(fresh, 'ui'))) inside.add(path);
writeFileSync(join(fresh, 'THIRD-PARTY-LICENSES.txt'), licenceNotices(inside));
// Pipelines install from it: the hash of the tarball then covers the packages beside it too.
cpSync(join(root, 'package-lock.json'), join(fresh, 'package-lock.json'));

const foreign = bundleTypes(modules, fresh, LIBRARY, name);
if (foreign.size > 0)
  console.warn(`the library's types need ${[...foreign].join(', ')}: name them without it`);

const built = (path) => import(pathToFileURL(join(modules, path)));
const { configJsonSchema } = await built('config/reference/json-schema.js');
const { COMMANDS: commands } = await built('cli/gen/command-table.js');
const { GLOBAL_OPTIONS: globalOptions } = await built('cli/commands/global-options.js');
writeFileSync(join(fresh, 'oxherd.1.gz'), gzipSync(manPage({ version, commands, globalOptions })));
writeFileSync(join(fresh, 'oxherd.schema.json'), `${JSON.stringify(configJsonSchema())}\n`);

chmodSync(join(fresh, 'bin/oxherd.js'), 0o755);
writeFileSync(join(fresh, '.built'), '');
replaceFolder(dist, fresh);
