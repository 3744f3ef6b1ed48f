/** Prints the id of the plan that was reviewed for a merged change. */
import { readReview } from '../../../session/review/review.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { COMMIT, commitOf, REVIEWED_CONFIG } from '../../review-options.js';

export const command: CommandSpec = {
  name: 'read',
  summary: 'print the plan id that was reviewed for a merged change',
  details:
    'Runs in a job of GitHub Actions or GitLab CI. Finds the change request whose merge made the commit, and the plan id on its newest commit. Fails if there is none.',
  options: [COMMIT, REVIEWED_CONFIG],
  json: '`{ commit, planId }`',
  examples: [
    {
      command: 'oxherd review read --commit "$GITHUB_SHA"',
      does: 'prints the id for `oxherd apply --plan-id`',
    },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const { commit, planId } = await readReview(context.env, {
    config: String(options.reviewedConfig),
    commit: commitOf(options.commit),
  });
  context.stdout.write(context.globals.json ? `${JSON.stringify({ commit, planId })}\n` : `${planId}\n`);
  return EXIT.done;
}
