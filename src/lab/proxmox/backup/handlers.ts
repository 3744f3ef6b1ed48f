import type { Handlers, Pve } from '../api.js';
import { coverageHandlers } from './coverage.js';
import { backupJobHandlers } from './jobs.js';
import { definePruneTask, pruneHandlers } from './prune.js';
import { defineRestoreTask } from './restore.js';
import { defineBackupTask, vzdumpHandlers } from './vzdump.js';

export const backupHandlers: Handlers = {
  ...backupJobHandlers,
  ...coverageHandlers,
  ...pruneHandlers,
  ...vzdumpHandlers,
};

export function defineBackupTasks(pve: Pve): void {
  defineBackupTask(pve);
  definePruneTask(pve);
  defineRestoreTask(pve);
}
