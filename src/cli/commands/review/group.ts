import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'review',
  summary: 'tie apply to the plan that was reviewed, in a pipeline',
  examples: [
    { command: 'oxherd review store plan.json --change-request 7 --commit "$head"', does: 'stores its id' },
    { command: 'oxherd review read --commit "$GITHUB_SHA"', does: 'prints the id that was reviewed' },
  ],
};
