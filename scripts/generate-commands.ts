/**
 * Writes src/cli/gen/command-table.ts from the files of the commands, so that `--help` knows every command without loading
 * what one of them needs to run. A folder of src/cli/commands with a `group.ts` is a command with children.
 */
import { writeFileSync } from 'node:fs';
import { TABLE_FILE, tableText } from './generate-commands/command-table.js';

writeFileSync(TABLE_FILE, await tableText());
