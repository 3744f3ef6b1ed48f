import type { Handlers, Pve } from '../api.js';
import { agentHandlers } from './agent.js';
import { cloneHandlers, defineCloneTask } from './clone.js';
import { cloudInitHandlers } from './cloudinit.js';
import { createHandlers, defineCreateTask } from './create.js';
import { defineDestroyTask, destroyHandlers } from './destroy.js';
import { featureHandlers } from './features.js';
import { defineMigrateTask, migrateHandlers } from './migrate.js';
import { defineMoveTask, moveHandlers } from './move-disk.js';
import { defineHaTasks, powerHandlers } from './power.js';
import { definePowerTasks } from './power-tasks.js';
import { readHandlers } from './read.js';
import { defineResizeTask, resizeHandlers } from './resize.js';
import { defineSnapshotTasks, snapshotHandlers } from './snapshots.js';
import { statusHandlers } from './status.js';
import { defineTemplateTask, templateHandlers } from './template.js';
import { defineUpdateTask, updateHandlers } from './update-request.js';

export const qemuHandlers: Handlers = {
  ...agentHandlers,
  ...cloneHandlers,
  ...cloudInitHandlers,
  ...createHandlers,
  ...destroyHandlers,
  ...featureHandlers,
  ...migrateHandlers,
  ...moveHandlers,
  ...powerHandlers,
  ...readHandlers,
  ...resizeHandlers,
  ...snapshotHandlers,
  ...statusHandlers,
  ...templateHandlers,
  ...updateHandlers,
};

/** Before the lab's timeline resumes: what was under way in an earlier process goes on. */
export function defineQemuTasks(pve: Pve): void {
  defineCloneTask(pve);
  defineCreateTask(pve);
  defineDestroyTask(pve);
  defineHaTasks(pve);
  defineMigrateTask(pve);
  defineMoveTask(pve);
  definePowerTasks(pve);
  defineResizeTask(pve);
  defineSnapshotTasks(pve);
  defineTemplateTask(pve);
  defineUpdateTask(pve);
}
