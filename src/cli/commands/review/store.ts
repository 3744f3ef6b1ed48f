/** Stores the id of a saved plan on the commit under review. */
import { resolve } from 'node:path';
import { OxherdError } from '../../../model/error.js';
import { MAX_FILE_BYTES, readTextLimited } from '../../../secrets/read-file.js';
import { storeReview } from '../../../session/review/review.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { COMMIT, commitOf, REVIEWED_CONFIG } from '../../review-options.js';

export const command: CommandSpec = {
  name: 'store',
  summary: 'store the id of a saved plan on the commit under review',
  details:
    'Runs in a job of GitHub Actions or GitLab CI. Comments the plan on the change request, then stores its id as a status of the commit. `oxherd review read` finds it after the merge.',
  args: [{ name: '<plan>', description: 'a plan saved by `plan --out`' }],
  options: [
    { flags: '--change-request <number>', description: 'number of the pull request or merge request' },
    COMMIT,
    REVIEWED_CONFIG,
    { flags: '--comment <file>', description: 'Markdown to comment on the change request' },
  ],
  json: '`{ commit, planId }`',
  examples: [
    {
      command: 'oxherd review store plan.json --change-request 7 --commit "$head" --comment plan.md',
      does: 'comments the plan and stores its id',
    },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const file = args[0] ?? '';
  const { comment } = options;
  const stored = await storeReview(context.env, {
    config: String(options.reviewedConfig),
    changeRequest: numberOf(options.changeRequest),
    commit: commitOf(options.commit),
    plan: { file, text: read(context, file) },
    ...(typeof comment === 'string' && { comment: read(context, comment) }),
  });
  context.stdout.write(
    context.globals.json
      ? `${JSON.stringify(stored)}\n`
      : `plan ${stored.planId} is stored on commit ${stored.commit}\n`,
  );
  return EXIT.done;
}

function numberOf(given: unknown): number {
  if (typeof given === 'string' && /^[1-9]\d{0,9}$/.test(given)) return Number(given);
  throw new OxherdError('review.number', '--change-request is not a number', {
    advice: 'give the number of the pull request or merge request, such as 7',
  });
}

function read({ cwd }: CliContext, file: string): string {
  const path = resolve(cwd, file);
  try {
    return readTextLimited(path, MAX_FILE_BYTES);
  } catch (cause) {
    if (cause instanceof OxherdError) throw cause;
    throw new OxherdError('review.unreadable', `${file} cannot be read`, {
      where: path,
      cause,
      advice: 'write it with `oxherd plan --out FILE`',
    });
  }
}
