/** Starts the command from the package. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { codeFolder } from './kept-code.js';
import { partsWith } from './load-parts.js';

const main = join(dirname(fileURLToPath(import.meta.url)), '../parts/main.cjs');
const parts = partsWith(codeFolder(process.env, readFileSync(main)));
process.on('exit', () => parts.keep());
parts.load(main);
