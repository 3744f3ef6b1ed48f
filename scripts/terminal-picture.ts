/**
 * Writes docs/terminal.svg: what the built command line really prints on the lab, cut to what fits a README.
 * `npm run build && npx tsx scripts/terminal-picture.ts`
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { drawTerminal } from './terminal-picture/draw.js';

const at = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

interface Scene {
  readonly args: readonly string[];
  /** The first line that is shown; counted from the end where negative. */
  readonly from: number;
  readonly lines: number;
}

const SCENES: readonly Scene[] = [
  { args: ['apply', '--yes'], from: -24, lines: 24 },
  { args: ['volumes', 'list'], from: 0, lines: 13 },
];

const TITLE = 'A cluster of six nodes being made on the embedded lab, and a list of its volumes';

const folder = mkdtempSync(join(tmpdir(), 'oxherd-picture-'));
try {
  cpSync(at('examples/homelab'), folder, { recursive: true });
  const shown = SCENES.flatMap(({ args, from, lines }) => {
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
    const printed = stdout.replaceAll(folder, '.').trimEnd().split('\n');
    const cut = printed.slice(from).slice(0, lines);
    const before = from < 0 && printed.length > -from ? ['\x1b[2m…\x1b[22m'] : [];
    return [`\x1b[1m\x1b[32m$\x1b[39m oxherd --lab ${args.join(' ')}\x1b[22m`, ...before, ...cut, ''];
  });
  writeFileSync(at('docs/terminal.svg'), drawTerminal(TITLE, shown.slice(0, -1)));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
