import { clientFileCommand } from '../../client-file-command.js';
import type { CommandSpec } from '../../command-spec.js';

export const command: CommandSpec = {
  name: 'kubeconfig',
  summary: 'write the file that kubectl wants',
  options: [
    { flags: '--out <file>', description: 'where to; default: .oxherd/<cluster>/kubeconfig' },
    { flags: '--merge', description: 'keep what else is in that file' },
  ],
  json: '`{ kubeconfig }`: the path that was written',
  examples: [
    { command: 'oxherd kubeconfig --out ~/.kube/config --merge', does: 'adds the cluster to your own file' },
  ],
};

export const run = clientFileCommand('kubeconfig');
