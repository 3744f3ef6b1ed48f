import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'volumes',
  summary: 'the data, and who owns it',
  examples: [{ command: 'oxherd volumes list', does: 'lists every volume with its owner' }],
};
