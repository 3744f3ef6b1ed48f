import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'export',
  summary: 'write what oxherd would create, for other tools',
  examples: [{ command: 'oxherd export qm --out out/', does: 'writes one <vmid>.conf per VM' }],
};
