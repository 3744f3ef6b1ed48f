import { OxherdError } from '../../model/error.js';
import type { Plan } from '../../session/plan/index.js';
import type { Session } from '../../session/session.js';
import { applyPlan } from '../apply-plan.js';
import { confirmName } from '../confirm-name.js';
import type { CliContext, CommandInput, ExitCode } from '../context.js';
import { withSession } from '../with-session.js';

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const [file] = args;
    const only = onlyNodes(session, options.only);
    if (options.fresh === true && file !== undefined) throw freshFromFile();
    return applyPlan(context, session, {
      yes: options.yes === true,
      goOn: 'oxherd apply',
      ...(only && { only }),
      ...(options.fresh === true && freshStart(context, session, only, options.confirm)),
      ...(file !== undefined && { saved: (fresh: Plan) => session.checkSaved(file, fresh) }),
    });
  });
}

/** New EPHEMERAL disks for these nodes; for all of them a new cluster on the old volumes. */
function freshStart(
  context: CliContext,
  { config }: Session,
  only: readonly string[] | undefined,
  given: unknown,
) {
  const { name } = config.cluster;
  const nodes = only ?? config.nodes.map((node) => node.name);
  const narrowed = only ? ` --only ${only.join(' ')}` : '';
  const command = `oxherd apply --fresh${narrowed} --confirm ${name}`;
  const what = only
    ? `${nodes.join(', ')} would begin anew, without what is in /var there; the old disks and all volumes are kept`
    : `${name} would begin as a new, empty cluster; the old disks and all volumes are kept`;
  return {
    anew: { fresh: nodes },
    goOn: command,
    yes: true,
    agreed: () => confirmName(context, given, { name, what, command }),
  };
}

function freshFromFile(): OxherdError {
  return new OxherdError('cli.fresh-plan', '--fresh makes a plan of its own', {
    advice: 'leave the plan file out',
  });
}

function onlyNodes({ config }: Session, only: unknown): readonly string[] | undefined {
  if (!Array.isArray(only)) return undefined;
  const names = config.nodes.map((node) => node.name);
  const wrong = only.find((name) => !names.includes(String(name)));
  if (wrong !== undefined) {
    throw new OxherdError('cli.unknown-node', `there is no node ${wrong} in the file`, {
      advice: `nodes are: ${names.join(', ')}`,
    });
  }
  return only.map(String);
}
