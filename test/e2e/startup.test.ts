/** What a command loads before it does anything; how long that takes is measured in bench/startup.mjs. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-startup-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Packages and rooms of ours that `oxherd ARGS…` loads. */
function loadedBy(...args: string[]): { packages: string[]; rooms: string[] } {
  const file = join(folder, 'loaded');
  rmSync(file, { force: true });
  execFileSync(
    process.execPath,
    ['--import', at('test/support/loaded-modules.mjs'), at('.build/cli/main.js'), ...args],
    { cwd: folder, env: { ...process.env, LOADED_MODULES: file }, stdio: 'pipe' },
  );
  const urls = readFileSync(file, 'utf8').split('\n');
  const all = (pattern: RegExp): string[] =>
    [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))].sort();
  return { packages: all(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/), rooms: all(/\/\.build\/([^/]+)\//) };
}

describe('a cold start', () => {
  it.each([['--version'], ['--help'], ['apply', '--help']])(
    'of oxherd %s loads no schema, gRPC or YAML code',
    (...args) => {
      expect(loadedBy(...args)).toEqual({
        packages: ['commander'],
        rooms: ['cli', 'formats', 'model'],
      });
    },
  );

  it('loads neither clients nor the lab to validate a file', () => {
    const { packages, rooms } = loadedBy('-c', at('examples/homelab/oxherd.yaml'), 'validate');
    expect(packages).toEqual(expect.arrayContaining(['yaml', 'zod']));
    expect(packages.filter((name) => /connectrpc|bufbuild|undici|peculiar|age-enc|clack/.test(name))).toEqual(
      [],
    );
    expect(rooms.filter((room) => ['clients', 'lab', 'apply', 'observe'].includes(room))).toEqual([]);
  });
});
