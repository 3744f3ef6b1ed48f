/** Writes the VMs as an OpenTofu root module with the module `talos-vm`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { design } from '../../design/design-cluster.js';
import { type TofuFile, tofuFiles } from '../../export/tofu/files.js';
import { OxherdError } from '../../model/error.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { look } from '../prepare-plan.js';
import { requireConfig } from '../read-config.js';
import { withSite } from '../site.js';

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const files = options.live === true ? await liveFiles(context) : filesOf(context);
  const shown = String(options.out ?? '.');
  const folder = resolve(context.cwd, shown);
  try {
    for (const { path, text } of files) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OxherdError('export.unwritable', `cannot write to ${shown}: ${reason}`, {
      where: folder,
      advice: 'name a folder that can be written to with `--out DIR`',
      cause,
    });
  }
  const names = files.map(({ path }) => path);
  if (context.globals.json) context.stdout.write(`${JSON.stringify({ directory: folder, files: names })}\n`);
  else context.stdout.write(`wrote ${files.length} files to ${shown}\n`);
  return EXIT.done;
}

function filesOf(context: CliContext): readonly TofuFile[] {
  const { config } = requireConfig(context);
  return tofuFiles(config, design(config));
}

function liveFiles(context: CliContext): Promise<readonly TofuFile[]> {
  return withSite(context, async (site) => {
    const { design: wanted, observed } = await look(site, { machines: false });
    return tofuFiles(site.config, wanted, observed);
  });
}
