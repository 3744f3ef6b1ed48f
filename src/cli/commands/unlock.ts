import { describeHolder, lockPool, readLock, removeLock } from '../../apply/lock.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { ClusterIdentity } from '../../formats/identities.js';
import { confirm } from '../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { withSite } from '../site.js';

/** Without Pool.Audit a lock may be there that is not listed. */
async function isBlind(client: ProxmoxClient, cluster: ClusterIdentity): Promise<boolean> {
  const permissions = await client.permissions(`/pool/${lockPool(cluster)}`);
  return !Object.values(permissions).some((held) => 'Pool.Audit' in held);
}

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async ({ client, config }) => {
    const holder = await readLock(client, config.cluster);
    const say = (document: object, text: string) =>
      context.stdout.write(context.globals.json ? `${JSON.stringify(document)}\n` : `${text}\n`);
    const whose = holder ? describeHolder(holder) : 'a run that our token may not see';
    if (!holder && !(await isBlind(client, config.cluster))) {
      say({ unlocked: false, holder: null }, 'Nobody holds the lock.');
      return EXIT.done;
    }
    if (options.yes !== true) {
      const question = `The lock is held by ${whose}. If that run still lives, two would write at once. Remove the lock?`;
      if (!(await confirm(context, question, 'make sure that run is dead, then: oxherd unlock --yes')))
        return EXIT.failed;
    }
    const removed = await removeLock(client, config.cluster);
    if (removed) say({ unlocked: true, holder: holder ?? null }, `Removed the lock of ${whose}.`);
    else say({ unlocked: false, holder: null }, 'Nobody holds the lock.');
    return EXIT.done;
  });
}
