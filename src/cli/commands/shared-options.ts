/** Options that several commands take. */
import type { OptionSpec } from '../command-spec.js';

export const YES: OptionSpec = { flags: '-y, --yes', description: 'do not ask' };
export const OUT_DIR: OptionSpec = { flags: '--out <dir>', description: 'folder to write to', default: '.' };
export const FULL: OptionSpec = {
  flags: '--full',
  description: 'show every step of every node, with all of its changes',
};
