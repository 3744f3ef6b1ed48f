/** Writes the `qm config` text of each VM as `<vmid>.conf`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { design } from '../../design/design-cluster.js';
import { qmConfigs } from '../../export/qm.js';
import { OxherdError } from '../../model/error.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { requireConfig } from '../read-config.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const { config } = requireConfig(context);
  const shown = String(options.out ?? '.');
  const folder = resolve(context.cwd, shown);
  const files = qmConfigs(design(config)).map(({ vmid, text }) => ({ name: `${vmid}.conf`, text }));
  try {
    mkdirSync(folder, { recursive: true });
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OxherdError('export.unwritable', `cannot write to ${shown}: ${reason}`, {
      where: folder,
      advice: 'name a folder that can be written to with `--out DIR`',
      cause,
    });
  }
  if (context.globals.json) {
    const document = { directory: folder, files: files.map(({ name }) => name) };
    context.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
  } else {
    context.stdout.write(`wrote ${files.length} ${files.length === 1 ? 'file' : 'files'} to ${shown}\n`);
  }
  return EXIT.done;
}
