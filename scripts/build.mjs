// Compiles src to dist when a source is newer than the last build.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'dist/.built');

function newest(folder) {
  let time = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    time = Math.max(time, entry.isDirectory() ? newest(path) : statSync(path).mtimeMs);
  }
  return Math.max(time, statSync(folder).mtimeMs);
}

function inputTime() {
  const files = ['package.json', 'tsconfig.json', 'tsconfig.build.json'].map(
    (f) => statSync(join(root, f)).mtimeMs,
  );
  return Math.max(newest(join(root, 'src')), ...files);
}

const force = process.argv.includes('--force');
if (!force && existsSync(stamp) && statSync(stamp).mtimeMs >= inputTime()) process.exit(0);

const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
rmSync(join(root, 'dist'), { recursive: true, force: true });
const result = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
  cwd: root,
});
if (result.status !== 0) process.exit(result.status ?? 1);
chmodSync(join(root, 'dist/cli/main.js'), 0o755);
writeFileSync(stamp, '');
