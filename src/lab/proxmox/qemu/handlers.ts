import type { Handlers, Pve } from '../api.js';
import { cloudInitHandlers } from './cloudinit/cloudinit.js';
import { readHandlers } from './config/read.js';
import { defineUpdateTask, updateHandlers } from './config/update-request.js';
import { createHandlers, defineCreateTask } from './create.js';
import { defineDestroyTask, destroyHandlers } from './destroy.js';
import { defineMoveTask, moveHandlers } from './disks/move-disk.js';
import { defineResizeTask, resizeHandlers } from './disks/resize.js';
import { featureHandlers } from './features.js';
import { cloneHandlers, defineCloneTask } from './migration/clone.js';
import { defineMigrateTask, migrateHandlers } from './migration/migrate.js';
import { agentHandlers } from './power/agent.js';
import { monitorHandlers } from './power/monitor.js';
import { defineHaTasks, powerHandlers } from './power/power.js';
import { definePowerTasks } from './power/power-tasks.js';
import { statusHandlers } from './power/status.js';
import { defineSnapshotTasks, snapshotHandlers } from './snapshots/snapshots.js';
import { defineTemplateTask, templateHandlers } from './template.js';

export const qemuHandlers: Handlers = {
  ...agentHandlers,
  ...cloneHandlers,
  ...cloudInitHandlers,
  ...createHandlers,
  ...destroyHandlers,
  ...featureHandlers,
  ...migrateHandlers,
  ...monitorHandlers,
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
