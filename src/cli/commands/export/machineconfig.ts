/** Writes the machine config of each node as `<node>.yaml`. */
import { design } from '../../../design/design-cluster.js';
import { MachineConfigWriter } from '../../../design/machine-config/machine-config.js';
import { readPassphrases, requireSecrets } from '../../../session/secrets/secrets-files.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import { paint } from '../../views/paint.js';
import { writeExport } from '../../write-export.js';
import { OUT_DIR } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'machineconfig',
  summary: 'the Talos machine config of each node, as <node>.yaml',
  options: [OUT_DIR],
  json: '`{ directory, files }`',
  examples: [
    { command: 'oxherd export machineconfig --out out/', does: 'writes one file per node, mode 0600' },
  ],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const { config, directory } = requireConfig(context);
  const { secrets } = await requireSecrets(context, config.cluster);
  const passphrases = await readPassphrases(context, config, directory);
  const designed = design(config);
  const writer = new MachineConfigWriter(config, designed, { secrets, passphrases });
  const made = designed.nodes.map(({ name }) => ({ name: `${name}.yaml`, config: writer.forNode(name) }));
  const files = made.map(({ name, config: machine }) => ({ name, text: machine.text(), secret: true }));
  const notices = made.flatMap(({ config: machine }) => machine.notices);
  if (!context.globals.json) {
    const word = paint(context.globals.color).yellow('warning');
    for (const { node, origin, message } of notices)
      context.stderr.write(`${word} ${node}, ${origin}: ${message}\n`);
  }
  await writeExport(context, input, files, { notices });
  return EXIT.done;
}
