import { setTimeout as delay } from 'node:timers/promises';
import { isHealthy } from '../../../health/condition.js';
import type { Session } from '../../../session/session.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { statusText } from '../../views/status.js';
import { ownEscape } from '../../views/terminal-text.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'status',
  summary: 'health of hosts, VMs, machines, volumes, etcd and certificates; exit 3 if unhealthy',
  options: [
    { flags: '-w, --watch', description: 'refresh until Ctrl-C' },
    { flags: '-a, --all', description: 'every condition, not only those that fail' },
  ],
  examples: [
    { command: 'oxherd status', does: 'health of every part' },
    { command: 'oxherd --lab status --json', does: 'every condition as JSON' },
  ],
};

const WATCH_MS = 2_000;

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    if (options.watch === true) return watch(context, session);
    const conditions = await session.health();
    const healthy = isHealthy(conditions);
    if (context.globals.json) context.stdout.write(`${JSON.stringify({ healthy, conditions }, null, 2)}\n`);
    else
      context.stdout.write(
        `${statusText(conditions, { color: context.globals.color, all: options.all === true })}\n`,
      );
    return healthy ? EXIT.done : EXIT.unhealthy;
  });
}

/** Until Ctrl-C; the exit code is that of the last look. With `--json` one document per line, at each change. */
async function watch(context: CliContext, session: Session): Promise<ExitCode> {
  let last = '';
  let healthy = true;
  while (!context.signal.aborted) {
    const conditions = await session.health();
    healthy = isHealthy(conditions);
    const text = context.globals.json
      ? JSON.stringify({ healthy, conditions })
      : statusText(conditions, { color: context.globals.color, all: false });
    if (text !== last) {
      if (context.stdout.isTTY && !context.globals.json)
        context.stdout.write(ownEscape('[H') + ownEscape('[2J'));
      context.stdout.write(`${text}\n`);
      last = text;
    }
    await delay(WATCH_MS, undefined, { signal: context.signal }).catch(() => undefined);
  }
  return healthy ? EXIT.done : EXIT.unhealthy;
}
