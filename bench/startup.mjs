/**
 * A cold start of the command line: wall and CPU time beside an empty Node program, and how many modules are loaded.
 * Usage: node bench/startup.mjs [runs]. Prints a table, then one line of JSON.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { printTable } from './measure.mjs';

const runs = Number(process.argv[2] ?? 10);
const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'oxherd-bench-'));
const main = at('dist/bin/oxherd.js');
const homelab = at('examples/homelab/oxherd.yaml');
const STARTS = {
  'node, an empty program': ['-e', ''],
  'oxherd --version': [main, '--version'],
  'oxherd --help': [main, '--help'],
  'oxherd validate (homelab)': [main, '-c', homelab, 'validate'],
};

/** The child says itself what it used, as it ends. */
const REPORT = `data:text/javascript,${encodeURIComponent(
  "process.on('exit', () => { const { user, system } = process.cpuUsage(); console.error('\\ncpu', user + system); })",
)}`;

function once(args) {
  const begin = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ['--import', REPORT, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  const wallMs = performance.now() - begin;
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
  return { wallMs, cpuMs: Number(/\ncpu (\d+)\n$/.exec(stderr)?.[1]) / 1000 };
}

function modulesOf(args) {
  const file = join(folder, 'loaded');
  rmSync(file, { force: true });
  spawnSync(process.execPath, ['--import', at('test/support/loaded-modules.mjs'), ...args], {
    cwd: folder,
    env: { ...process.env, LOADED_MODULES: file },
  });
  const urls = new Set(readFileSync(file, 'utf8').split('\n'));
  return [...urls].filter((url) => url.startsWith('file:') && /\.[cm]?js$/.test(url)).length;
}

const result = {};
for (const [name, args] of Object.entries(STARTS)) {
  const measured = Array.from({ length: runs }, () => once(args));
  const median = (key) => measured.map((each) => each[key]).sort((a, b) => a - b)[Math.floor(runs / 2)];
  result[name] = { wallMs: median('wallMs'), cpuMs: median('cpuMs'), modules: modulesOf(args) };
}
rmSync(folder, { recursive: true });

printTable(`A cold start, median of ${runs}`, [
  ['', 'wall ms', 'CPU ms', 'modules'],
  ...Object.entries(result).map(([name, { wallMs, cpuMs, modules }]) => [
    name,
    wallMs,
    cpuMs,
    String(modules),
  ]),
]);
process.stdout.write(`${JSON.stringify({ bench: 'startup', ...result })}\n`);
