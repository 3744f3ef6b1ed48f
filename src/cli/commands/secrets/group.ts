import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'secrets',
  summary: 'the Talos secrets: make, take in, give out',
  examples: [{ command: 'oxherd secrets init', does: 'makes secrets.sops.yaml beside the config' }],
};
