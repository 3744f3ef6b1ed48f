/** One kind of bad input, tried: what was printed, and whether the folder is what it was. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { CliFolder, type CliOptions } from '../cli.js';
import { smallFile } from '../small-file.js';
import type { BadInput } from './kinds.js';

export async function attemptBadInput(
  { args, files = {}, env, says }: BadInput,
  options: CliOptions = {},
  config = smallFile(),
): Promise<void> {
  const folder = CliFolder.make(config);
  try {
    for (const [name, text] of Object.entries(files)) {
      if (text === undefined) rmSync(join(folder.path, name));
      else if (name.endsWith('/')) mkdirSync(join(folder.path, name));
      else folder.write(name, text);
    }
    const before = contents(folder.path);
    const { exit, stdout, stderr } = await folder.run(args, { ...options, env: { ...options.env, ...env } });
    const told = `${stderr}${stdout}`;
    expect(exit, told).toBe(1);
    expect(told).toMatch(says);
    expect(wayOut(told), told).toBe(true);
    expect(told).not.toMatch(/^\s+at .+:\d+:\d+|node:internal|\[object |\bundefined\b|\bNaN\b/m);
    expect(told).not.toMatch(/\b(?:ENOENT|EISDIR|EACCES|ENOTDIR|ECONNREFUSED: )/);
    expect(told).not.toContain('00000000-0000-4000-8000-000000000000');
    expect(contents(folder.path)).toEqual(before);
  } finally {
    folder.remove();
  }
}

/** An error or a problem with what to do next, a place in the config with what to write there, or where flags are listed. */
function wayOut(text: string): boolean {
  const advised = /^next {2}\S/m.test(text);
  const placed = /^\S+:\d+:\d+ error .+$(?:\n {2,}.*)*\n {2}\S/m.test(text);
  const usage = text.includes('`oxherd COMMAND --help` flags and examples') || /^Usage: oxherd/m.test(text);
  const problem = /^ {2}✗ .+\n {6}\S/m.test(text);
  return advised || placed || problem || usage;
}

/** Every file below a folder with a hash of what it holds. */
function contents(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const hash = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder';
      return [path, hash];
    }),
  );
}
