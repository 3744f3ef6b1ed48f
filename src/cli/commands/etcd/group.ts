import type { CommandSpec } from '../../command-spec.js';

export const group: CommandSpec = {
  name: 'etcd',
  summary: "the cluster's database",
  examples: [{ command: 'oxherd etcd backup', does: 'writes a snapshot to .oxherd/<cluster>/' }],
};
