import { describeHolder, type Holder } from '../../apply/lock/holder.js';
import { readLock, requireRights, unlock } from '../../apply/lock/lock.js';
import { lockPools } from '../../apply/lock/pools.js';
import { withSite } from '../../session/connect/site.js';
import { thisHolder } from '../../session/execute/holder.js';
import { lockTools } from '../../session/execute/lock-tools.js';
import { confirm } from '../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async (site) => {
    const pools = lockPools(site.config.cluster, true);
    const us = thisHolder(Date.now());
    // Without the right to see them no lock would look like none.
    await requireRights(pools, us, site.client);
    const holders = await readLock(site.client, pools);
    const say = (unlocked: boolean, text: string): ExitCode => {
      const [holder = null] = holders.values();
      const document = { unlocked, holder };
      context.stdout.write(context.globals.json ? `${JSON.stringify(document)}\n` : `${text}\n`);
      return EXIT.done;
    };
    if (holders.size === 0) return say(false, 'The cluster is not locked.');
    const whose = describeAll(holders);
    if (options.yes !== true) {
      const question = `The cluster is locked by ${whose}. If that run is alive, it stops before its next write. Remove the lock?`;
      if (!(await confirm(context, question, 'check that run, then: oxherd unlock --yes')))
        return EXIT.failed;
    }
    const unlocked = await unlock(holders, us, lockTools(context, site));
    return unlocked
      ? say(true, `Removed the lock of ${whose}.`)
      : say(false, 'The lock was released meanwhile.');
  });
}

/** One run holds all pools; each is named once. */
function describeAll(holders: ReadonlyMap<string, Holder>): string {
  return [...new Set([...holders.values()].map(describeHolder))].join(' and ');
}
