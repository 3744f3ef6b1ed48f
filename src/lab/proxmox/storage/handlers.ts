import type { Handlers, Pve } from '../api.js';
import { storageConfigHandlers } from './config.js';
import { contentHandlers, defineContentTasks } from './content.js';
import { copyHandlers } from './copy-content.js';
import { defineDownloadTask, downloadHandlers } from './download.js';
import { storageStatusHandlers } from './status.js';
import { defineCopyTask, uploadHandlers } from './upload.js';
import { attributeHandlers } from './volume-attributes.js';

export const storageHandlers: Handlers = {
  ...storageStatusHandlers,
  ...storageConfigHandlers,
  ...attributeHandlers,
  ...contentHandlers,
  ...copyHandlers,
  ...downloadHandlers,
  ...uploadHandlers,
};

/** Before the lab's timeline resumes: what was under way in an earlier process goes on. */
export function defineStorageTasks(pve: Pve): void {
  defineContentTasks(pve);
  defineCopyTask(pve);
  defineDownloadTask(pve);
}
