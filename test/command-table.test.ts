import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { cliReference, REFERENCE_FILE } from '../scripts/generate-commands/cli-reference.js';
import { commandTree, TABLE_FILE, tableText } from '../scripts/generate-commands/command-table.js';

it('has every command as its file says; else: npx tsx scripts/generate-commands.ts', async () => {
  expect(readFileSync(TABLE_FILE, 'utf8')).toBe(await tableText());
});

it('is what docs/cli.md shows; else: npx tsx scripts/generate-commands.ts', async () => {
  expect(readFileSync(REFERENCE_FILE, 'utf8')).toBe(cliReference(await commandTree()));
});
