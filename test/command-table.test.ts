import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TABLE_FILE, tableText } from '../scripts/generate-commands/command-table.js';

it('has every command as its file says; else: npx tsx scripts/generate-commands.ts', async () => {
  expect(readFileSync(TABLE_FILE, 'utf8')).toBe(await tableText());
});
