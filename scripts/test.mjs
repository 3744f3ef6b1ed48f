// The three tiers of tests, each in order of cost; closes with one line `N passed, N failed`.
//   npm test                 formatting, lint, types, unit and end-to-end tests, samples of the large sets
//   npm run test:exhaustive  a share of the large sets, another for each commit: every eighth file, and of that file a share;
//                            words after `--` take the files whose paths contain one of them, whatever their turn
//   npm run test:full        everything; `-- --shard 2/4` takes a part, and a run that was cut off is resumed;
//                            `-- test/exhaustive/pairs` takes the test files whose paths contain one of the words
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);
const tier = args.includes('--full') ? 'full' : args.includes('--exhaustive') ? 'exhaustive' : 'test';
const shard = optionOf('--shard') ?? '1/1';
const words = args.filter((arg, at) => !arg.startsWith('--') && args[at - 1] !== '--shard');
const memory = join(root, '.oxherd-test');
const scratch = mkdtempSync(join(tmpdir(), 'oxherd-test-'));
/** The second one holds what shares no worker. */
const EXHAUSTIVE = ['exhaustive', 'exhaustive-alone'];
let passed = 0;
let failed = 0;
let skipped = 0;

function optionOf(name) {
  const at = args.findIndex((arg) => arg === name || arg.startsWith(`${name}=`));
  return at < 0 ? undefined : args[at].includes('=') ? args[at].split('=')[1] : args[at + 1];
}

function step(title, command, commandArgs, env = {}) {
  console.log(`\n== ${title}`);
  const result = spawnSync(command, commandArgs, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, FORCE_COLOR: '0', OXHERD_TIER: tier, ...env },
  });
  return result.status === 0;
}

function check(title, command, commandArgs) {
  if (step(title, command, commandArgs)) passed += 1;
  else failed += 1;
}

function vitest(title, projects, more = [], env = {}) {
  const report = join(scratch, `${projects.join('-')}.json`);
  const ok = step(
    title,
    'npx',
    [
      'vitest',
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...more,
    ],
    env,
  );
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

const lines = (file) => {
  try {
    return readFileSync(file, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
};

function git(...gitArgs) {
  return spawnSync('git', gitArgs, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 28 }).stdout ?? '';
}

/** What was finished counts only for the code it was finished with. */
function stateOfCode() {
  const hash = createHash('sha256');
  for (const part of [
    ['rev-parse', 'HEAD'],
    ['diff', 'HEAD'],
    ['status', '--porcelain'],
  ])
    hash.update(git(...part));
  return hash.digest('hex').slice(0, 16);
}

function testFiles(folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .map((name) => `${folder}/${name}`)
    .filter((name) => name.endsWith('.test.ts'))
    .sort();
}

/** Splits its cases itself, by test/support/shard.ts. */
function splitsItself(file, seen = new Set()) {
  if (file.endsWith('test/support/shard.ts')) return true;
  if (seen.has(file)) return false;
  seen.add(file);
  const text = lines(join(root, file)).join('\n');
  return [...text.matchAll(/from '(\.[^']+)\.js'/g)]
    .map(([, path]) => `${join(dirname(file), path)}.ts`)
    .some((path) => path.startsWith('test/') && splitsItself(path, seen));
}

/** A landing takes every eighth file, so eight landings take them all; those of this round are known before it lands. */
const FILE_SHARE = 8;
const FIRST_FILE = 4;

function exhaustiveFiles() {
  const round = Number(lines(join(root, 'test/support/round.txt'))[0]);
  const files = ['test/exhaustive', 'test/scaled', 'test/e2e/scaled'].flatMap(testFiles);
  if (words.length > 0) return files.filter((file) => words.some((word) => file.includes(word)));
  return files.filter((_, index) => index % FILE_SHARE === (round + FIRST_FILE) % FILE_SHARE);
}

/** Every file of a project that has not passed with this code; a file that cannot be split is in one shard. */
function full() {
  mkdirSync(memory, { recursive: true });
  const name = join(memory, stateOfCode());
  const finished = new Set(lines(`${name}-${shard.replace('/', 'of')}.files`));
  const [part, of] = shard.split('/').map(Number);
  const env = {
    OXHERD_SHARD: shard,
    OXHERD_TEST_MEMORY: `${name}.cases`,
    OXHERD_TEST_FILES: `${name}-${shard.replace('/', 'of')}.files`,
  };
  for (const [title, project, folders] of [
    ['unit and property tests', 'unit', ['src', 'test']],
    ['end-to-end tests', 'e2e', ['test/e2e']],
    ['all of the large sets', 'exhaustive', ['test/exhaustive', 'test/scaled', 'test/e2e/scaled']],
  ]) {
    const files = folders
      .flatMap(testFiles)
      .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
      .filter((file) => project !== 'unit' || !/^test\/(e2e|exhaustive|scaled)\//.test(file))
      .filter((file, index) => index % of === part - 1 || (project === 'exhaustive' && splitsItself(file)))
      .filter((file) => !finished.has(`${project} ${file}`));
    if (files.length === 0) console.log(`\n== ${title}: nothing left to run`);
    else
      vitest(
        title,
        project === 'exhaustive' ? EXHAUSTIVE : [project],
        ['--reporter=./scripts/remember-files.mjs', ...files],
        env,
      );
  }
}

const built = step('build', process.execPath, ['scripts/build.mjs']);
if (!built) failed += 1;
else if (tier === 'exhaustive') {
  vitest('exhaustive tests', EXHAUSTIVE, exhaustiveFiles());
} else if (tier === 'full' && words.length > 0) {
  full();
} else {
  check('formatting and lint', 'npx', ['biome', 'check', '--error-on-warnings', '.']);
  check('types', 'npx', ['tsc', '--noEmit']);
  if (tier === 'full') full();
  else vitest('unit, property and end-to-end tests', ['unit', 'e2e']);
}
rmSync(scratch, { recursive: true, force: true });
console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed === 0 ? 0 : 1;
