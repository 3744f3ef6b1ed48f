/** Every endpoint the simulator has, and what its tasks do. */
import { accessHandlers } from './access/handlers.js';
import { defineRealmTasks } from './access/realms.js';
import { acmeAccountHandlers, defineAcmeTasks } from './acme/accounts.js';
import { acmePluginHandlers } from './acme/plugins.js';
import type { Handlers, Pve } from './api.js';
import { backupHandlers, defineBackupTasks } from './backup/handlers.js';
import { clusterHandlers } from './cluster/handlers.js';
import { firewallHandlers } from './firewall/handlers.js';
import { METHODS } from './gen/schema.js';
import { defineHaManager } from './ha/manager.js';
import { containerHandlers, defineContainerTasks } from './lxc/handlers.js';
import { defineBulkTasks } from './nodes/all-guests.js';
import { nodeHandlers } from './nodes/handlers.js';
import { defineHostCommands } from './nodes/host-command.js';
import { defineNetworkTasks } from './nodes/network.js';
import { poolHandlers } from './pools.js';
import { defineQemuTasks, qemuHandlers } from './qemu/handlers.js';
import { defineSdnTasks, sdnHandlers } from './sdn/handlers.js';
import { defineStorageTasks, storageHandlers } from './storage/handlers.js';
import { taskHandlers } from './tasks/task-handlers.js';

export const HANDLERS: Handlers = {
  ...accessHandlers,
  ...acmeAccountHandlers,
  ...acmePluginHandlers,
  ...backupHandlers,
  ...clusterHandlers,
  ...containerHandlers,
  ...firewallHandlers,
  ...nodeHandlers,
  ...poolHandlers,
  ...qemuHandlers,
  ...sdnHandlers,
  ...storageHandlers,
  ...taskHandlers,
};

/** Before the timeline goes on: it may hold tasks of an earlier process. */
export function defineTasks(pve: Pve): void {
  defineQemuTasks(pve);
  defineStorageTasks(pve);
  defineContainerTasks(pve);
  defineRealmTasks(pve);
  defineAcmeTasks(pve);
  defineNetworkTasks(pve);
  defineBulkTasks(pve);
  defineHostCommands(pve);
  defineSdnTasks(pve);
  defineBackupTasks(pve);
  defineHaManager(pve);
}

/** Methods of the API that the simulator answers with 501; listed in docs/lab-differences.md. */
export function missingMethods(): string[] {
  return METHODS.map((method) => `${method.method} ${method.path}`).filter((key) => !(key in HANDLERS));
}
