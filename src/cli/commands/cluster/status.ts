import { setTimeout as delay } from 'node:timers/promises';
import { type HealthVerdict, healthVerdict } from '../../../health/condition.js';
import type { ClusterStatus } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { columnsOf } from '../../views/screen/wrap.js';
import { statusText } from '../../views/status.js';
import { ownEscape } from '../../views/terminal-text.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'status',
  summary:
    'one row per node, and everything that is wrong; exit 3 if unhealthy, 4 if something could not be read',
  options: [
    { flags: '-w, --watch', description: 'redraw in place until Ctrl-C' },
    {
      flags: '-a, --all',
      description: 'every condition of hosts, VMs, machines, volumes, etcd, Kubernetes and certificates',
    },
  ],
  json: '`{ healthy, incomplete: [{ what, node?, why }], nodes: [{ node, role, host, vmid, talos, kubelet, health, etcd, notes }], conditions: [{ layer, name, subject?, state, message, advice? }] }`; with `--watch` one per line',
  exits: { 3: 'a condition failed', 4: 'no condition failed, but something in scope could not be read' },
  examples: [
    { command: 'oxherd status', does: 'health of every part' },
    { command: 'oxherd --lab status --json', does: 'every condition as JSON' },
  ],
};

const WATCH_MS = 2_000;

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const all = options.all === true;
    if (options.watch === true) return watch(context, session, all);
    const status = await session.status();
    const { color, json } = context.globals;
    const text = json
      ? JSON.stringify(statusJson(status), null, 2)
      : statusText(status, { color, all, width: columnsOf(context) });
    context.stdout.write(`${text}\n`);
    return EXITS[verdictOf(status)];
  });
}

const EXITS: Readonly<Record<HealthVerdict, ExitCode>> = {
  healthy: EXIT.done,
  unhealthy: EXIT.unhealthy,
  unknown: EXIT.incomplete,
};

function verdictOf({ conditions, incomplete }: ClusterStatus): HealthVerdict {
  return healthVerdict(conditions, incomplete.length === 0);
}

function statusJson(status: ClusterStatus) {
  const { conditions, nodes, incomplete } = status;
  return { healthy: verdictOf(status) === 'healthy', incomplete, nodes, conditions };
}

/** Until Ctrl-C, or until nothing reads it; the exit code is that of the last look. With `--json` one document per line, at each change. */
async function watch(context: CliContext, session: Session, all: boolean): Promise<ExitCode> {
  let last = '';
  let exit: ExitCode = EXIT.done;
  const { color, json } = context.globals;
  const { signal, outputClosed } = context;
  const ending = outputClosed ? AbortSignal.any([signal, outputClosed]) : signal;
  while (!ending.aborted) {
    const status = await session.status();
    exit = EXITS[verdictOf(status)];
    const text = json
      ? JSON.stringify(statusJson(status))
      : statusText(status, { color, all, width: columnsOf(context) });
    if (text !== last) {
      const redraw = context.stdout.isTTY === true && !json;
      context.stdout.write(redraw ? frame(text, last === '', context.stdout.rows) : `${text}\n`);
      last = text;
    }
    await delay(WATCH_MS, undefined, { signal: ending }).catch(() => undefined);
  }
  return exit;
}

/** In place: line over line, and nothing scrolls; what does not fit on the screen is told by the last line. */
function frame(text: string, first: boolean, rows = Number.POSITIVE_INFINITY): string {
  const lines = text.split('\n');
  const fitting =
    lines.length < rows ? lines : [...lines.slice(0, rows - 2), `… ${lines.length - rows + 2} more lines`];
  const clear = first ? ownEscape('[2J') : '';
  const body = fitting.map((line) => `${line}${ownEscape('[K')}\n`).join('');
  return `${clear}${ownEscape('[H')}${body}${ownEscape('[J')}`;
}
