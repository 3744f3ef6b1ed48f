/** Writes the VMs as an OpenTofu root module with the module `talos-vm`. */
import { design } from '../../design/design-cluster.js';
import { type TofuFile, tofuFiles } from '../../export/tofu/files.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';
import { requireConfig } from '../require-config.js';
import { withSession } from '../with-session.js';
import { writeExport } from '../write-export.js';

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const files = input.options.live === true ? await liveFiles(context) : filesOf(context);
  await writeExport(
    context,
    input,
    files.map(({ path, text }) => ({ name: path, text })),
  );
  return EXIT.done;
}

function filesOf(context: CliContext): readonly TofuFile[] {
  const { config } = requireConfig(context);
  return tofuFiles(config, design(config));
}

function liveFiles(context: CliContext): Promise<readonly TofuFile[]> {
  return withSession(context, async (session) => {
    const { design: wanted, observed } = await session.gather({ machines: false });
    return tofuFiles(session.config, wanted, observed);
  });
}
