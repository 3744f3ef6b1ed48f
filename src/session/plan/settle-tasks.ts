import { awaitEarlierTasks } from '../../apply/earlier-tasks.js';
import type { Config } from '../../config/config.js';
import { dataVmidOf } from '../../model/identity.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';

/** Before anything is read that will be written: lets the tasks of a run that was cut off come to their end. */
export function settleTasks(context: SessionContext, { client, config }: Site): Promise<void> {
  return awaitEarlierTasks(client, {
    cluster: config.cluster,
    vmids: new Set(vmidsOf(config)),
    signal: context.signal,
    onWait: (message) => context.tell({ kind: 'progress', message }),
  });
}

export function vmidsOf(config: Config): number[] {
  return config.nodes.flatMap(({ vmid }) => [vmid, dataVmidOf(vmid)]).filter((vmid) => vmid !== undefined);
}
