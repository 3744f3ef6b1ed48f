/** Writes the machine config of each node as `<node>.yaml`. */
import { join, resolve } from 'node:path';
import { design } from '../../design/design-cluster.js';
import { MachineConfigWriter } from '../../design/machine-config/machine-config.js';
import { OxherdError } from '../../model/error.js';
import { replacePrivateFile } from '../../secrets/private-file.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { requireConfig } from '../read-config.js';
import { readPassphrases, requireSecrets } from '../secrets-files.js';
import { paint } from '../views/paint.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const { config, directory } = requireConfig(context);
  const { secrets } = await requireSecrets(context);
  const passphrases = await readPassphrases(context, config, directory);
  const designed = design(config);
  const writer = new MachineConfigWriter(config, designed, { secrets, passphrases });
  const made = designed.nodes.map(({ name }) => ({ name: `${name}.yaml`, config: writer.forNode(name) }));

  const shown = String(options.out ?? '.');
  const folder = resolve(context.cwd, shown);
  for (const { name, config: machine } of made) {
    try {
      await replacePrivateFile(join(folder, name), machine.text());
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new OxherdError('export.unwritable', `cannot write to ${shown}: ${reason}`, {
        where: folder,
        advice: 'name a folder that can be written to with `--out DIR`',
        cause,
      });
    }
  }

  const notices = made.flatMap(({ config: machine }) => machine.notices);
  if (context.globals.json) {
    const document = { directory: folder, files: made.map(({ name }) => name), notices };
    context.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    return EXIT.done;
  }
  const word = paint(context.globals.color).yellow('warning');
  for (const { node, origin, message } of notices)
    context.stderr.write(`${word} ${node}, ${origin}: ${message}\n`);
  context.stdout.write(`wrote ${made.length} ${made.length === 1 ? 'file' : 'files'} to ${shown}\n`);
  return EXIT.done;
}
