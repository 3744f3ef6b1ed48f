import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'secrets',
  summary: 'create, import, export and rotate secrets',
  examples: [{ command: 'oxherd secrets init', does: 'creates secrets.sops.yaml next to the config' }],
};
