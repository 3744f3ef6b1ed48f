/** Commands for a cluster that runs: its health, its client files, single nodes. */
import type { LoadableCommand } from '../command-spec.js';
import { FULL, YES } from './shared-options.js';

export const RUNNING_COMMANDS: readonly LoadableCommand[] = [
  {
    name: 'status',
    summary: 'health of hosts, VMs, machines, volumes, etcd and certificates; exit 3 if unhealthy',
    options: [
      { flags: '-w, --watch', description: 'go on looking until Ctrl-C' },
      { flags: '-a, --all', description: 'every condition, not only those that fail' },
    ],
    examples: [
      { command: 'oxherd status', does: 'what is well and what is not' },
      { command: 'oxherd --lab status --json', does: 'every condition as JSON' },
    ],
    load: () => import('../commands/status.js'),
  },
  clientFile('kubeconfig', 'kubectl', '~/.kube/config', () => import('../commands/kubeconfig.js')),
  clientFile('talosconfig', 'talosctl', '~/.talos/config', () => import('../commands/talosconfig.js')),
  {
    name: 'restart',
    summary: 'stop and start nodes, one after the other',
    args: [{ name: '[node...]', description: 'nodes by name' }],
    options: [
      { flags: '--role <role>', description: 'all nodes of a role', choices: ['controlplane', 'worker'] },
      YES,
      FULL,
    ],
    examples: [
      { command: 'oxherd restart work-1', does: 'drains it, stops it, starts it, waits until it is back' },
      { command: 'oxherd restart --role worker --yes', does: 'all workers, one after the other' },
    ],
    load: () => import('../commands/restart.js'),
  },
  {
    name: 'replace',
    summary: 'give a node a new system disk; its VM, identity and data stay',
    args: [{ name: '<node...>', description: 'nodes by name' }],
    options: [YES, FULL],
    examples: [
      { command: 'oxherd replace work-1', does: 'makes sure its data is elsewhere, then swaps the disk' },
    ],
    load: () => import('../commands/replace.js'),
  },
];

function clientFile(
  name: string,
  program: string,
  ownFile: string,
  load: NonNullable<LoadableCommand['load']>,
): LoadableCommand {
  return {
    name,
    summary: `write the file that ${program} wants`,
    options: [
      { flags: '--out <file>', description: `where to; default: .oxherd/<cluster>/${name}` },
      { flags: '--merge', description: 'keep what else is in that file' },
    ],
    examples: [
      { command: `oxherd ${name} --out ${ownFile} --merge`, does: 'adds the cluster to your own file' },
    ],
    load,
  };
}
