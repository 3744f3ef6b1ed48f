/** Every command, in the order in which `--help` shows them. Nothing here loads what a command needs to run. */
import type { LoadableCommand } from './command-spec.js';
import { CHANGE_COMMANDS } from './command-table/changes.js';
import { CONFIG_FILE_COMMANDS } from './command-table/config-file.js';
import { DATA_COMMANDS } from './command-table/data.js';
import { LAB_COMMANDS } from './command-table/lab.js';
import { READER_COMMANDS } from './command-table/readers.js';
import { RUNNING_COMMANDS } from './command-table/running.js';
import { SECRETS_COMMANDS } from './command-table/secrets.js';
import { SHELL_COMMANDS } from './command-table/shell.js';
import { UPKEEP_COMMANDS } from './command-table/upkeep.js';

export const COMMANDS: readonly LoadableCommand[] = [
  ...CONFIG_FILE_COMMANDS,
  ...READER_COMMANDS,
  ...SECRETS_COMMANDS,
  ...CHANGE_COMMANDS,
  ...RUNNING_COMMANDS,
  ...DATA_COMMANDS,
  ...UPKEEP_COMMANDS,
  ...LAB_COMMANDS,
  ...SHELL_COMMANDS,
];
