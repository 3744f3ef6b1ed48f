/**
 * Writes the pictures of the README: docs/terminal.svg and docs/plan.svg are what the built command line really prints on
 * the lab, cut to what fits; docs/map.svg is `oxherd graph`.
 * `npm run build && npx tsx scripts/terminal-picture.ts`
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawTerminal } from './terminal-picture/draw.js';

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'oxherd-picture-'));

interface Scene {
  readonly args: readonly string[];
  /** The first line that is shown; counted from the end where negative. */
  readonly from: number;
  readonly lines: number;
}

function oxherd(args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [at('dist/bin/oxherd.js'), '--lab', ...args],
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder, FORCE_COLOR: '1' },
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`oxherd --lab ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return stdout.replaceAll(folder, '.').trimEnd();
}

function show({ args, from, lines }: Scene): string[] {
  const printed = oxherd(args).split('\n');
  const cut = printed.slice(from).slice(0, lines);
  const before = from < 0 && printed.length > -from ? ['\x1b[2m…\x1b[22m'] : [];
  const after = from >= 0 && printed.length > lines ? ['\x1b[2m…\x1b[22m'] : [];
  return [`\x1b[1m\x1b[32m$\x1b[39m oxherd --lab ${args.join(' ')}\x1b[22m`, ...before, ...cut, ...after, ''];
}

function draw(file: string, title: string, scenes: readonly Scene[]): void {
  writeFileSync(at(file), drawTerminal(title, scenes.flatMap(show).slice(0, -1)));
}

try {
  cpSync(at('examples/homelab'), folder, { recursive: true });
  draw(
    'docs/terminal.svg',
    'A cluster of six nodes being made on the embedded lab, and a list of its volumes',
    [
      { args: ['apply', '--yes'], from: -24, lines: 24 },
      { args: ['volumes', 'list'], from: 0, lines: 13 },
    ],
  );
  oxherd(['graph', '--format', 'svg', '--out', at('docs/map.svg')]);
  // More memory for one role, a larger volume, and another node.
  const file = join(folder, 'oxherd.yaml');
  const edited = readFileSync(file, 'utf8')
    .replace('controlplane: { cores: 4, memory: 8GiB }', 'controlplane: { cores: 4, memory: 10GiB }')
    .replace('longhorn: { type: disk, size: 50GiB', 'longhorn: { type: disk, size: 80GiB');
  writeFileSync(file, edited);
  draw('docs/plan.svg', 'The plan of two edits: more memory for control planes, larger volumes on workers', [
    { args: ['plan'], from: 0, lines: 40 },
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
