/** Writes the VMs as an OpenTofu root module with the module `talos-vm`. */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readVariables } from '../../../config/from-tfvars/read-variables.js';
import { design } from '../../../design/design-cluster.js';
import { type TofuFile, tofuFiles } from '../../../export/tofu/files.js';
import { type KeptSlots, slotsIn } from '../../../export/tofu/kept-slots.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';
import { withSession } from '../../with-session.js';
import { writeExport } from '../../write-export.js';
import { OUT_DIR } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'tofu',
  summary: 'an OpenTofu root module for the provider bpg/proxmox',
  options: [
    OUT_DIR,
    { flags: '--live', description: 'with import blocks for the VMs and images that are there' },
  ],
  json: '`{ directory, files }`',
  examples: [
    {
      command: 'oxherd export tofu --out tofu/',
      does: 'writes terraform.tfvars, main.tf and modules/talos-vm',
    },
    {
      command: 'oxherd export tofu --live --out tofu/',
      does: 'hands over a running cluster; no VM is recreated',
    },
  ],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const kept = exportedBefore(resolve(context.cwd, String(input.options.out ?? '.')));
  const files = input.options.live === true ? await liveFiles(context, kept) : filesOf(context, kept);
  await writeExport(
    context,
    input,
    files.map(({ path, text }) => ({ name: path, text })),
  );
  return EXIT.done;
}

/** Slots of an export in the same folder: what Terraform made by them stays where it is. */
function exportedBefore(folder: string): KeptSlots {
  const name = 'terraform.tfvars';
  try {
    const text = readFileSync(join(folder, name), 'utf8');
    return slotsIn(readVariables([{ path: name, name, text }]).document?.raw ?? {});
  } catch {
    return new Map();
  }
}

function filesOf(context: CliContext, kept: KeptSlots): readonly TofuFile[] {
  const { config } = requireConfig(context);
  return tofuFiles(config, design(config), { kept });
}

function liveFiles(context: CliContext, kept: KeptSlots): Promise<readonly TofuFile[]> {
  return withSession(context, async (session) => {
    const { design: wanted, observed } = await session.gather({ machines: false });
    return tofuFiles(session.config, wanted, { observed, kept });
  });
}
