/** Writes the `qm config` text of each VM as `<vmid>.conf`. */
import { design } from '../../../design/design-cluster.js';
import { qmConfigs } from '../../../export/qm.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import { writeExport } from '../../write-export.js';
import { OUT_DIR } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'qm',
  summary: 'the `qm config` text of each VM, as <vmid>.conf',
  options: [OUT_DIR],
  json: '`{ directory, files }`',
  examples: [{ command: 'oxherd export qm --out out/', does: 'writes one file per VM' }],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const { config } = requireConfig(context);
  const files = qmConfigs(design(config)).map(({ vmid, text }) => ({ name: `${vmid}.conf`, text }));
  await writeExport(context, input, files);
  return EXIT.done;
}
