import { resolve } from 'node:path';
import { counted } from '../../../model/count.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import { redactedObservation } from '../../../session/rehearse/observation.js';
import { openSession } from '../../../session/session.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';

export const command: CommandSpec = {
  name: 'observe',
  summary: 'write down the state of the cluster, without secrets, for a rehearsal elsewhere or a bug report',
  options: [{ flags: '--out <file>', description: 'where to write it; default: standard output' }],
  json: 'the observation; with `--out` `{ file, machines, objects }`',
  examples: [
    {
      command: 'oxherd observe --out cluster.json',
      does: 'reads Proxmox, machines and Kubernetes; changes nothing',
    },
    { command: 'oxherd observe --out cluster.json --json', does: 'the same, with counts as JSON' },
  ],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const session = await openSession(requireConfig(context), context.target, { ...context, readOnly: true });
  try {
    const observation = redactedObservation(await session.observation());
    const text = `${JSON.stringify(observation, null, 2)}\n`;
    if (typeof options.out !== 'string') {
      context.stdout.write(text);
      return EXIT.done;
    }
    await replacePrivateFile(resolve(context.cwd, options.out), text);
    const objects = Object.values(observation.objects).reduce((sum, list) => sum + list.length, 0);
    const machines = Object.keys(observation.machines).length;
    const what = `${counted(machines, 'machine')}, ${counted(objects, 'object')}, ${Math.ceil(text.length / 1024)} KiB`;
    if (context.globals.json)
      context.stdout.write(`${JSON.stringify({ file: options.out, machines, objects })}\n`);
    else context.stdout.write(`${options.out}: ${what}, secrets left out\n`);
    return EXIT.done;
  } finally {
    await session.close();
  }
}
