// Compiles src to dist when a source is newer than the last build: modules for those who import oxherd, and the
// command in a few files, because Node takes longer to find and load six hundred modules than to run a plan.
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
import { build } from 'esbuild';

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
await build({
  entryPoints: { oxherd: join(fresh, 'cli/main.js') },
  outdir: join(fresh, 'bin'),
  bundle: true,
  // What a command imports only when it needs it stays apart.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  // For the packages that are CommonJS inside.
  banner: {
    js: "import { createRequire as bundleRequire } from 'node:module';\nconst require = bundleRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
chmodSync(join(fresh, 'bin/oxherd.js'), 0o755);
writeFileSync(join(fresh, '.built'), '');
rmSync(dist, { recursive: true, force: true });
try {
  renameSync(fresh, dist);
} catch {
  cpSync(fresh, dist, { recursive: true });
  rmSync(fresh, { recursive: true, force: true });
}
