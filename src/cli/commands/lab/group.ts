import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'lab',
  summary: 'the embedded lab',
  examples: [{ command: 'oxherd lab serve', does: 'keeps it up for curl, kubectl, talosctl, Terraform' }],
};
