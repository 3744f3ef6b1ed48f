// Compiles src to dist when a source is newer than the last build.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(root, 'dist');
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
  const files = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map(
    (file) => statSync(join(root, file)).mtimeMs,
  );
  return Math.max(newest(join(root, 'src')), ...files);
}

const force = process.argv.includes('--force');
if (!force && existsSync(stamp) && statSync(stamp).mtimeMs >= inputTime()) process.exit(0);

const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
// Beside the old one first: a build that fails leaves a working command behind.
const fresh = join(root, '.dist-new');
rmSync(fresh, { recursive: true, force: true });
const compile = spawnSync(
  process.execPath,
  [tsc, '-p', join(root, 'tsconfig.build.json'), '--outDir', fresh],
  {
    stdio: 'inherit',
    cwd: root,
  },
);
if (compile.status !== 0) {
  rmSync(fresh, { recursive: true, force: true });
  process.exit(compile.status ?? 1);
}
chmodSync(join(fresh, 'cli/main.js'), 0o755);
writeFileSync(join(fresh, '.built'), '');
rmSync(dist, { recursive: true, force: true });
try {
  renameSync(fresh, dist);
} catch {
  cpSync(fresh, dist, { recursive: true });
  rmSync(fresh, { recursive: true, force: true });
}
