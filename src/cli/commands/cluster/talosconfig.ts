import { clientFileCommand } from '../../client-file-command.js';
import type { CommandSpec } from '../../command-spec.js';

export const command: CommandSpec = {
  name: 'talosconfig',
  summary: 'write the file that talosctl wants',
  options: [
    { flags: '--out <file>', description: 'where to; default: .oxherd/<cluster>/talosconfig' },
    { flags: '--merge', description: 'keep what else is in that file' },
  ],
  json: '`{ talosconfig }`: the path that was written',
  examples: [
    {
      command: 'oxherd talosconfig --out ~/.talos/config --merge',
      does: 'adds the cluster to your own file',
    },
  ],
};

export const run = clientFileCommand('talosconfig');
