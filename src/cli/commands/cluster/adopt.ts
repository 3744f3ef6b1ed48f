/** Takes over a running cluster that something else made, without restarting anything. */
import { resolve } from 'node:path';
import { vmsInState } from '../../../formats/terraform/state.js';
import { OxherdError } from '../../../model/error.js';
import { readIfThere, replacePrivateFile } from '../../../secrets/private-file.js';
import type { DiskQuestion, PlanRequest, PreparedPlan } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import { askSlot } from '../../ask-slot.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import { confirm } from '../../confirm.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'adopt',
  summary: 'take over a running cluster that something else made; restarts nothing',
  args: [{ name: '[plan]', description: 'a plan saved by `adopt --out`' }],
  options: [
    YES,
    FULL,
    { flags: '--confirm <cluster>', description: 'the name of the cluster, instead of --yes' },
    { flags: '--out <file>', description: 'save the plan for `adopt FILE`, and do nothing' },
    {
      flags: '--disk <volume...>',
      description: 'NODE/VOLUME=SLOT: which drive a volume is, where two have the same size',
    },
    {
      flags: '--state <file...>',
      description:
        'Terraform states to check: they must no longer have these VMs; default: terraform.tfstate',
    },
    { flags: '--released', description: 'Terraform has released the VMs, although a tag of theirs names it' },
    { flags: '--undo', description: 'give the VMs back as they were, while nothing else was changed' },
  ],
  json: 'with `--out` or problems the plan, else the events of the run, one per line',
  examples: [
    { command: 'oxherd adopt', does: 'shows the plan, asks, and takes the cluster over' },
    {
      command: 'oxherd adopt --out plan.json && oxherd adopt plan.json --confirm homelab',
      does: 'in two steps',
    },
    {
      command: 'oxherd adopt --disk work-1/data=scsi2',
      does: 'says which of two equal disks holds the volume',
    },
    { command: 'oxherd adopt --undo', does: 'restores every option of the VMs' },
  ],
};

type Adopt = Extract<PlanRequest, { kind: 'adopt' }>;

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const [file] = args;
    const { name } = session.config.cluster;
    if (options.confirm !== undefined && options.confirm !== name)
      throw otherName(String(options.confirm), name);
    requireSecrets(session);
    const prepared = await planned(context, session, await requestOf(context, session, options));
    const { plan } = prepared;
    if (file !== undefined) session.checkSaved(file, plan);
    const saves = typeof options.out === 'string';
    if (saves)
      await replacePrivateFile(
        resolve(context.cwd, String(options.out)),
        `${JSON.stringify(plan, null, 2)}\n`,
      );
    const failed = plan.problems.length > 0;
    if (!context.globals.json) printPlan(context, plan, { unchanged: unchanged(options.undo === true) });
    else if (saves || failed || plan.steps.length === 0)
      context.stdout.write(`${JSON.stringify(plan, null, 2)}\n`);
    if (failed) return EXIT.failed;
    if (saves || plan.steps.length === 0) return EXIT.done;
    const undo = options.undo === true;
    const command = undo ? 'oxherd adopt --undo' : 'oxherd adopt';
    const question = undo ? `Give the VMs of ${name} back?` : `Adopt ${name}?`;
    const agreed = options.yes === true || options.confirm === name;
    return carryOut(context, session, prepared, {
      command,
      confirm: async () => agreed || confirm(context, question, `run \`${command} --yes\``),
    });
  });
}

function unchanged(undo: boolean): string {
  return undo
    ? 'No VM of this cluster was adopted.'
    : 'No changes. Every VM of oxherd.yaml is managed by oxherd.';
}

async function planned(context: CliContext, session: Session, request: Adopt): Promise<PreparedPlan> {
  const prepared = await session.plan(request, { settled: true });
  const questions = prepared.questions ?? [];
  if (questions.length === 0 || !context.stdin.isTTY || !context.stdout.isTTY || context.globals.json)
    return prepared;
  const disks: Record<string, string> = { ...request.disks };
  for (const question of questions) {
    const name = `${question.node}/${question.volume}`;
    disks[name] = await askSlot(context, question, slotsOf(disks, question));
  }
  return session.plan({ ...request, disks }, { settled: true });
}

/** Of this node, said before. */
function slotsOf(disks: Readonly<Record<string, string>>, { node }: DiskQuestion): string[] {
  return Object.entries(disks).flatMap(([name, slot]) => (name.startsWith(`${node}/`) ? [slot] : []));
}

async function requestOf(
  context: CliContext,
  session: Session,
  options: CommandInput['options'],
): Promise<Adopt> {
  const disks = Object.fromEntries(listOf(options.disk).map((text) => diskAnswer(session, text)));
  const states = listOf(options.state);
  const terraform = await terraformVms(context, session, states);
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

function diskAnswer({ config }: Session, text: string): [string, string] {
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
async function terraformVms({ cwd }: CliContext, { directory }: Session, named: readonly string[]) {
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

function requireSecrets({ hasSecrets }: Session): void {
  if (hasSecrets) return;
  throw new OxherdError(
    'adopt.no-secrets',
    'the secrets of the cluster are missing, so its machines cannot be asked',
    {
      advice:
        'import them with the talosconfig of an administrator: oxherd init --from-cluster --talosconfig FILE; or oxherd secrets import',
    },
  );
}

function otherName(given: string, name: string): OxherdError {
  return new OxherdError('cli.confirm', `the cluster is called ${name}, not ${given}`, {
    advice: `say its name to confirm: oxherd adopt --confirm ${name}`,
  });
}
