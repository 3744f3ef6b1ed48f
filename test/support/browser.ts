/** A real browser without a window, where the machine has one: what it makes of a page, as text. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** `undefined` where there is none: tests then skip, and say so. */
export function findBrowser(): string | undefined {
  for (const name of NAMES) {
    try {
      execFileSync(name, ['--version'], { stdio: 'ignore' });
      return name;
    } catch {
      // Not this one.
    }
  }
  return undefined;
}

/** The document after its scripts have run. Nothing is fetched from anywhere. */
export function dumpDom(browser: string, html: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-browser-'));
  try {
    const page = join(folder, 'page.html');
    writeFileSync(page, html);
    return execFileSync(
      browser,
      [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--no-first-run',
        `--user-data-dir=${join(folder, 'profile')}`,
        '--virtual-time-budget=2000',
        '--dump-dom',
        `file://${page}`,
      ],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1024 * 1024, timeout: 60_000 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
