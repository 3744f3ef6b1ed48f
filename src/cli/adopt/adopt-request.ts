/** What `adopt` and its rehearsal ask for: the same flags make the same plan. */
import { resolve } from 'node:path';
import { vmsInState } from '../../formats/terraform/state.js';
import { OxherdError } from '../../model/error.js';
import { readIfThere } from '../../secrets/private-file.js';
import type { PlanRequest } from '../../session/plan/index.js';
import type { OptionSpec } from '../command-spec.js';
import type { CliContext, CommandInput } from '../context.js';
import type { requireConfig } from '../require-config.js';

export type AdoptRequest = Extract<PlanRequest, { kind: 'adopt' }>;
type Loaded = Pick<ReturnType<typeof requireConfig>, 'config' | 'directory'>;

export const ADOPT_OPTIONS: readonly OptionSpec[] = [
  {
    flags: '--disk <volume...>',
    description: 'NODE/VOLUME=SLOT: which drive a volume is, where two have the same size',
  },
  {
    flags: '--state <file...>',
    description: 'Terraform states to check: they must no longer have these VMs; default: terraform.tfstate',
  },
  { flags: '--released', description: 'Terraform has released the VMs, although a tag of theirs names it' },
];

export async function adoptRequest(
  context: Pick<CliContext, 'cwd'>,
  loaded: Loaded,
  options: CommandInput['options'],
): Promise<AdoptRequest> {
  const disks = Object.fromEntries(listOf(options.disk).map((text) => diskAnswer(loaded, text)));
  const terraform = await terraformVms(context, loaded, listOf(options.state));
  return {
    kind: 'adopt',
    ...(options.undo === true && { undo: true }),
    ...(options.released === true && { released: true }),
    disks,
    terraform,
  };
}

function listOf(option: unknown): string[] {
  return Array.isArray(option) ? option.map(String) : [];
}

function diskAnswer({ config }: Loaded, text: string): [string, string] {
  const [, node = '', volume = '', slot = ''] =
    /^([^/=]+)\/([^/=]+)=((?:scsi|sata|ide|virtio)\d+)$/.exec(text) ?? [];
  if (config.nodes.some(({ name }) => name === node)) return [`${node}/${volume}`, slot];
  throw new OxherdError(
    'cli.disk',
    `--disk ${text}: ${node === '' ? 'not NODE/VOLUME=SLOT' : `oxherd.yaml has no node ${node}`}`,
    {
      advice: `write it like ${config.nodes[0]?.name ?? 'work-1'}/data=scsi2`,
    },
  );
}

/** Those that were named must be there; the usual one is read where it is. */
async function terraformVms(
  { cwd }: Pick<CliContext, 'cwd'>,
  { directory }: Loaded,
  named: readonly string[],
) {
  const files =
    named.length > 0 ? named.map((file) => resolve(cwd, file)) : [resolve(directory, 'terraform.tfstate')];
  const read = await Promise.all(
    files.map(async (file) => {
      const text = await readIfThere(file);
      if (text === undefined && named.length === 0) return [];
      const vms = text === undefined ? undefined : vmsInState(text);
      if (vms) return vms.map((vm) => ({ ...vm, file }));
      throw new OxherdError(
        'cli.state',
        text === undefined ? `there is no ${file}` : `${file} is not a Terraform state`,
        {
          advice: 'name the file, or what `terraform state pull` prints',
        },
      );
    }),
  );
  return read.flat();
}
