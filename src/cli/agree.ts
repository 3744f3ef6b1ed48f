/** Asks in the terminal what a plan must be confirmed with; see `session/confirm`. */
import type { Config } from '../config/config.js';
import { confirmationOf } from '../session/confirm/confirmation.js';
import type { PreparedPlan } from '../session/plan/index.js';
import { confirm } from './confirm.js';
import { confirmName } from './confirm-name.js';
import type { CliContext } from './context.js';

interface Agreement {
  /** `--yes`. */
  readonly yes: boolean;
  /** `--confirm NAME`, where a name is demanded. */
  readonly given?: unknown;
  /** The command that would apply the plan. */
  readonly command: string;
}

/** `--yes` covers an outage of the API only if oxherd.yaml allows it: a script must not find out by running. */
export async function agree(
  context: CliContext,
  config: Config,
  prepared: PreparedPlan,
  { yes, given, command }: Agreement,
): Promise<boolean> {
  const { question, outage, name } = confirmationOf(prepared, config);
  if (name) await confirmName(context, given, { ...name, command });
  const isConfirmed = yes || name !== undefined;
  if (outage !== undefined) {
    const hint = `set \`policy: { outage: allow }\` in oxherd.yaml, then run \`${command}${name ? '' : ' --yes'}\`; or run it in a terminal and answer`;
    return confirm(context, `${outage} ${isConfirmed ? 'Continue?' : question}`, hint);
  }
  return isConfirmed || confirm(context, question, `look at \`oxherd plan\`, then run \`${command} --yes\``);
}
