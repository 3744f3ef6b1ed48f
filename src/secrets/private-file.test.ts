import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { replacePrivateFile, writeNewPrivateFile } from './private-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-private-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

/** Half of each text reaches the disk, then it is full; the error is the one of a real write. */
async function fillDisk(): Promise<void> {
  const full = await open('/dev/full', 'w');
  const error: unknown = await full.writeFile('x').catch((thrown: unknown) => thrown);
  await full.close();
  expect(error).toMatchObject({ code: 'ENOSPC' });
  vi.spyOn(Object.getPrototypeOf(full), 'writeFile').mockImplementation(async function (
    this: unknown,
    text: unknown,
  ) {
    const file = this as Awaited<ReturnType<typeof open>>;
    await file.write(String(text).slice(0, String(text).length / 2));
    throw error;
  });
}

describe('a private file on a full disk', () => {
  it.each([
    ['new', writeNewPrivateFile],
    ['replaced', replacePrivateFile],
  ])('(%s) leaves nothing behind and names the file', async (_, write) => {
    const path = join(folder, 'secrets.sops.yaml');
    await fillDisk();
    await expect(write(path, 'the key of the cluster')).rejects.toMatchObject({
      code: 'file.failed',
      message: `${path} does not fit: no space is left`,
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('keeps the text that was there before', async () => {
    const path = join(folder, 'kubeconfig');
    await replacePrivateFile(path, 'before');
    await fillDisk();
    await expect(replacePrivateFile(path, 'after')).rejects.toThrow('no space is left');
    expect(readdirSync(folder)).toEqual(['kubeconfig']);
    expect(readFileSync(path, 'utf8')).toBe('before');
  });
});
