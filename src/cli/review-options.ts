/** Options of both commands. */
import { OxherdError } from '../model/error.js';
import type { OptionSpec } from './command-spec.js';

export const COMMIT: OptionSpec = { flags: '--commit <sha>', description: 'the commit, all of its digits' };

export const REVIEWED_CONFIG: OptionSpec = {
  flags: '--reviewed-config <path>',
  description: 'path of the config in the repository, if it has several',
  default: 'oxherd.yaml',
};

export function commitOf(given: unknown): string {
  if (typeof given === 'string' && /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(given)) return given;
  throw new OxherdError('review.commit', '--commit is not the id of a commit', {
    advice: 'give all 40 hexadecimal digits, as `git rev-parse HEAD` prints them',
  });
}
