/** `restart` and `replace`: what someone asks for besides the file, rolled like everything else. */
import { OxherdError } from '../model/error.js';
import type { Session } from '../session/session.js';
import { agree } from './agree.js';
import { carryOut } from './carry-out.js';
import { type CliContext, EXIT, type ExitCode } from './context.js';
import { printPlan } from './views/plan.js';
import { withSession } from './with-session.js';

interface AskedFor {
  readonly kind: 'restart' | 'replace';
  readonly names: readonly string[];
  readonly role?: string;
  readonly yes: boolean;
}

export async function applyAsked(context: CliContext, asked: AskedFor): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const nodes = namedNodes(session, asked);
    const prepared = await session.plan({ kind: asked.kind, nodes });
    if (!context.globals.json) printPlan(context, prepared.plan);
    if (prepared.plan.problems.length > 0) return EXIT.failed;
    const command = `oxherd ${asked.kind} ${nodes.join(' ')}`;
    return carryOut(context, session, prepared, {
      command,
      confirm: () => agree(context, session.config, prepared, { yes: asked.yes, command }),
    });
  });
}

function namedNodes({ config }: Session, { names, role, kind }: AskedFor): string[] {
  const known = config.nodes.map((node) => node.name);
  const wrong = names.find((name) => !known.includes(name));
  if (wrong !== undefined) {
    throw new OxherdError('cli.unknown-node', `oxherd.yaml has no node ${wrong}`, {
      advice: `nodes are: ${known.join(', ')}`,
    });
  }
  const byRole = config.nodes.filter((node) => node.role === role).map((node) => node.name);
  const all = [...new Set([...names, ...byRole])];
  if (all.length > 0) return all;
  throw new OxherdError('cli.no-node', `name the nodes to ${kind}`, {
    advice: kind === 'restart' ? 'oxherd restart NODE…, or --role worker' : 'oxherd replace NODE',
  });
}
