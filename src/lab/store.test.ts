import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileStore } from './store.js';

it('writes nothing after it was closed, wherever its folder is by then', () => {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-store-'));
  const store = fileStore(folder);
  const table = store.table<number>('numbers');
  table.put('one', 1);
  store.close();
  table.put('two', 2);
  const again = fileStore(folder);
  expect([...again.table<number>('numbers').entries()]).toEqual([['one', 1]]);
  again.close();

  rmSync(folder, { recursive: true });
  expect(() => table.put('three', 3)).not.toThrow();
  expect(existsSync(folder)).toBe(false);
});
