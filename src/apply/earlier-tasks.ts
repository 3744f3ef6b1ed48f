/** Work that a run which is gone has left to Proxmox: it goes on, so what is read before its end is soon wrong. */
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import { isProxmoxError } from '../clients/proxmox/errors.js';
import type { TaskRef } from '../clients/proxmox/task.js';
import type { ClusterIdentity } from '../formats/marks/identities.js';
import { mayBeOurs } from '../formats/marks/ownership.js';
import { OxherdError } from '../model/error.js';

/** The kinds of tasks that steps start; a backup is someone else's, and its lock is seen in the plan. */
const OURS = /^(qm(create|config|start|stop|shutdown|reboot|move|destroy|igrate)|hamigrate|resize)$/;
const WAIT_MS = 10 * 60_000;

interface EarlierTasks {
  readonly cluster: ClusterIdentity;
  /** Ids that are ours also where the VM has no tag yet. */
  readonly vmids: ReadonlySet<number>;
  readonly signal: AbortSignal;
  readonly onWait: (message: string) => void;
}

/** One request per host; how the tasks end does not matter, since everything is read afterwards. */
export async function awaitEarlierTasks(client: ProxmoxClient, options: EarlierTasks): Promise<void> {
  const { hosts, vms } = await client.resources();
  const ours = new Set([
    ...options.vmids,
    ...vms.filter((vm) => mayBeOurs(options.cluster, vm.tags)).map((vm) => vm.vmid),
  ]);
  const running = await Promise.all(
    hosts.filter((host) => host.online).map((host) => client.activeTasks(host.node).catch(() => [])),
  );
  const left = running
    .flat()
    .filter((task) => OURS.test(task.type) && ours.has(Number.parseInt(task.id, 10)));
  await Promise.all(left.map((task) => end(client, task, options)));
}

async function end(client: ProxmoxClient, task: TaskRef, { signal, onWait }: EarlierTasks): Promise<void> {
  const what = `${task.type} of VM ${Number.parseInt(task.id, 10)} on ${task.node}`;
  onWait(`waiting for ${what}, which an earlier run has started`);
  try {
    await client.waitTask(task, { timeoutMs: WAIT_MS, signal });
  } catch (error) {
    if (signal.aborted) throw error;
    if (!isProxmoxError(error, 'proxmox.task-timeout')) return;
    throw new OxherdError('apply.task-running', `${what} does not end`, {
      where: `task ${task.upid}`,
      advice: 'look at its log in Proxmox and stop it there, then run it again',
      cause: error,
    });
  }
}
