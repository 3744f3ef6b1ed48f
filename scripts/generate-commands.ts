/**
 * Writes src/cli/gen/command-table.ts from the files of the commands, so that `--help` knows every command without loading
 * what one of them needs to run, and docs/cli.md. A folder of src/cli/commands with a `group.ts` is a command with children.
 */
import { writeFileSync } from 'node:fs';
import { cliReference, REFERENCE_FILE } from './generate-commands/cli-reference.js';
import { commandTree, TABLE_FILE, tableText } from './generate-commands/command-table.js';

writeFileSync(TABLE_FILE, await tableText());
writeFileSync(REFERENCE_FILE, cliReference(await commandTree()));
