import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'runs',
  summary: 'what earlier runs did',
  examples: [{ command: 'oxherd runs list', does: 'every run with its outcome, newest first' }],
};
