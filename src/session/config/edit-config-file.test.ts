import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { replaceFile } from './edit-config-file.js';

it('writes nothing over a file that has changed since the edit was made', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-edit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'oxherd.yaml');
  writeFileSync(path, 'a: 2 # of someone else\n');
  expect(() => replaceFile(path, { before: 'a: 1\n', after: 'a: 3\n' })).toThrow('has changed meanwhile');
  expect(readFileSync(path, 'utf8')).toBe('a: 2 # of someone else\n');
  expect(readdirSync(folder)).toEqual(['oxherd.yaml']);
  replaceFile(path, { before: 'a: 2 # of someone else\n', after: 'a: 3\n' });
  expect(readFileSync(path, 'utf8')).toBe('a: 3\n');
});
