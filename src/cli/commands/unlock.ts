import { describeHolder, readLock, removeLock } from '../../apply/lock.js';
import { confirm } from '../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { withSite } from '../site.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSite(context, async ({ client, config }) => {
    const holder = await readLock(client, config.cluster);
    const say = (document: object, text: string) =>
      context.stdout.write(context.globals.json ? `${JSON.stringify(document)}\n` : `${text}\n`);
    if (!holder) {
      say({ unlocked: false, holder: null }, 'Nobody holds the lock.');
      return EXIT.done;
    }
    if (options.yes !== true) {
      const question = `The lock is held by ${describeHolder(holder)}. If that run still lives, two would write at once. Remove the lock?`;
      if (!(await confirm(context, question, 'make sure that run is dead, then: oxherd unlock --yes')))
        return EXIT.failed;
    }
    await removeLock(client, config.cluster);
    say({ unlocked: true, holder }, `Removed the lock of ${describeHolder(holder)}.`);
    return EXIT.done;
  });
}
