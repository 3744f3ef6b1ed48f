import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'host',
  summary: 'maintenance and loss of Proxmox hosts',
  examples: [
    { command: 'oxherd host status', does: 'what runs where, and what is drained' },
    { command: 'oxherd host drain pve2 --for 1h', does: 'moves or stops its nodes, one after the other' },
    { command: 'oxherd host return pve2', does: 'brings them back' },
    { command: 'oxherd host roll pve1 pve2 pve3', does: 'both, host after host, with your patching between' },
    {
      command: 'oxherd host lost pve2 --confirm pve2',
      does: 'for one that never comes back: its nodes run elsewhere again',
    },
  ],
};
