/** Starts the command from the package. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeFolder } from './kept-code.js';
import { partsWith } from './load-parts.js';

const main = join(dirname(fileURLToPath(import.meta.url)), '../parts/main.cjs');
// The command, in most cases; what is no command fails.
const use = process.argv.slice(2).find((word) => /^[a-z][a-z-]*$/.test(word)) ?? '';
const parts = partsWith(codeFolder(process.env, readFileSync(main)), use);
process.on('exit', (code) => code !== 1 && parts.keep());
// Nothing is left to do: ending at once spares taking the heap apart.
process.once('beforeExit', () => process.exit());
parts.load(main);
