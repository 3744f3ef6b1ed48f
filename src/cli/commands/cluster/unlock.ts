import type { CommandSpec } from '../../command-spec.js';
import { confirm } from '../../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { withSession } from '../../with-session.js';
import { YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'unlock',
  summary: 'take the cluster lock from a run that is dead or must stop',
  options: [YES],
  json: '`{ unlocked, holder }`',
  examples: [{ command: 'oxherd unlock', does: 'shows the holder and asks' }],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const lock = await session.lock();
    const say = (unlocked: boolean, text: string): ExitCode => {
      const document = { unlocked, holder: lock?.holder ?? null };
      context.stdout.write(context.globals.json ? `${JSON.stringify(document)}\n` : `${text}\n`);
      return EXIT.done;
    };
    if (!lock) return say(false, 'The cluster is not locked.');
    if (options.yes !== true) {
      const question = `The cluster is locked by ${lock.whose}. If that run is alive, it stops before its next write. Remove the lock?`;
      if (!(await confirm(context, question, 'check that run, then: oxherd unlock --yes')))
        return EXIT.failed;
    }
    return (await lock.remove())
      ? say(true, `Removed the lock of ${lock.whose}.`)
      : say(false, 'The lock was released meanwhile.');
  });
}
