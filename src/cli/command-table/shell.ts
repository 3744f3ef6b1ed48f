/** Commands for editors and shells. */
import type { LoadableCommand } from '../command-spec.js';

export const SHELL_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'schema',
    summary: 'print the JSON Schema of oxherd.yaml, for editors',
    examples: [{ command: 'oxherd schema > oxherd.schema.json', does: 'writes it to a file' }],
    load: () => import('../commands/schema.js'),
  },
  {
    name: 'completion',
    summary: 'print a completion script',
    args: [{ name: '<shell>', description: 'bash, zsh or fish', choices: ['bash', 'zsh', 'fish'] }],
    examples: [{ command: 'source <(oxherd completion bash)', does: 'completes commands and flags' }],
    load: () => import('../commands/completion.js'),
  },
];
