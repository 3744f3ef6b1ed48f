import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MIB } from '../model/size.js';
import { MAX_INCLUDED_BYTES, readFileLimited, readTextLimited } from './read-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-read-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of any size, without a byte on disk. */
function sparse(name: string, size: number): string {
  const path = join(folder, name);
  const file = openSync(path, 'w');
  ftruncateSync(file, size);
  closeSync(file);
  return path;
}

describe('reading a file', () => {
  it('gives all of it up to the limit, and nothing of what is larger', () => {
    expect(readFileLimited(sparse('at', MAX_INCLUDED_BYTES), MAX_INCLUDED_BYTES)).toHaveLength(
      MAX_INCLUDED_BYTES,
    );
    const path = sparse('over', MAX_INCLUDED_BYTES + 1);
    expect(() => readFileLimited(path, MAX_INCLUDED_BYTES)).toThrow(`${path} is larger than 16 MiB`);
    writeFileSync(join(folder, 'text'), 'ä'.repeat(300_000));
    expect(readTextLimited(join(folder, 'text'), MIB)).toBe('ä'.repeat(300_000));
  });

  it('takes no more memory for a file of 100 GB or a device without an end', () => {
    const before = process.memoryUsage().rss;
    const endless = process.platform === 'win32' ? [] : ['/dev/zero'];
    for (const path of [sparse('huge', 100_000 * MIB), ...endless])
      expect(() => readFileLimited(path, MAX_INCLUDED_BYTES)).toThrow('is larger than 16 MiB');
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * MIB);
  });

  it('fails as Node does where there is none', () => {
    expect(() => readFileLimited(join(folder, 'none'), MIB)).toThrow('ENOENT');
    expect(() => readFileLimited(folder, MIB)).toThrow('EISDIR');
  });
});
