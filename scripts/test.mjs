// Everything that must hold, in order of cost; closes with one line `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const exhaustive = process.argv.includes('--exhaustive');
const scratch = mkdtempSync(join(tmpdir(), 'oxherd-test-'));
let passed = 0;
let failed = 0;
let skipped = 0;

function step(title, command, args) {
  console.log(`\n== ${title}`);
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, FORCE_COLOR: '0' },
  });
  return result.status === 0;
}

function check(title, command, args) {
  if (step(title, command, args)) passed += 1;
  else failed += 1;
}

function vitest(title, projects) {
  const report = join(scratch, `${projects.join('-')}.json`);
  const ok = step(title, 'npx', [
    'vitest',
    'run',
    ...projects.flatMap((project) => ['--project', project]),
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  try {
    const result = JSON.parse(readFileSync(report, 'utf8'));
    passed += result.numPassedTests;
    failed += result.numFailedTests;
    skipped += result.numPendingTests;
    // A file that does not load, or an error outside a test, fails the run without a failed test.
    if (!ok && result.numFailedTests === 0) failed += 1;
  } catch {
    failed += 1;
  }
}

const built = step('build', process.execPath, ['scripts/build.mjs']);
if (!built) failed += 1;
else if (exhaustive) {
  vitest('exhaustive tests', ['exhaustive']);
} else {
  check('formatting and lint', 'npx', ['biome', 'check', '--error-on-warnings', '.']);
  check('types', 'npx', ['tsc', '--noEmit']);
  vitest('unit, property and end-to-end tests', ['unit', 'e2e']);
}
rmSync(scratch, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 ? 0 : 1;
