/** What has to be agreed to before a plan is carried out. */
import type { PolicyConfig } from '../config/policy-config.js';
import type { Plan } from '../session/plan/index.js';
import { confirm } from './confirm.js';
import type { CliContext } from './context.js';

interface Agreement {
  /** Someone said yes already. */
  readonly yes: boolean;
  /** The command that would carry it out. */
  readonly command: string;
  /** Another question than whether to apply. */
  readonly question?: string;
}

/** `--yes` covers an outage of the API only where the file allows it: a script should not find out by running. */
export async function agree(
  context: CliContext,
  { outage }: Pick<PolicyConfig, 'outage'>,
  plan: Plan,
  { yes, command, question = 'Apply this plan?' }: Agreement,
): Promise<boolean> {
  const nodes = outagesIn(plan);
  if (nodes.length > 0 && outage !== 'allow') {
    const away = `The Kubernetes API will be unavailable while ${nodes.join(', ')} ${nodes.length === 1 ? 'restarts' : 'restart'}.`;
    const hint = `set \`policy: { outage: allow }\` in oxherd.yaml, then run \`${command} --yes\`; or run it in a terminal and answer`;
    return confirm(context, yes ? `${away} Continue?` : `${away} ${question}`, hint);
  }
  if (yes) return true;
  return confirm(context, question, `look at \`oxherd plan\`, then run \`${command} --yes\``);
}

/** Control planes that cannot go without the API going too. */
function outagesIn(plan: Plan): string[] {
  return plan.steps.flatMap((step) =>
    step.kind === 'begin-disruption' && step.outage && step.node !== undefined ? [step.node] : [],
  );
}
