/** Takes over a running cluster that something else made, without restarting anything. */
import { resolve } from 'node:path';
import { OxherdError } from '../../../model/error.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import type { DiskQuestion, PreparedPlan } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import { ADOPT_OPTIONS, type AdoptRequest, adoptRequest } from '../../adopt/adopt-request.js';
import { askSlot } from '../../adopt/ask-slot.js';
import { agree } from '../../agree.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { exitWhenDone } from '../../verdict.js';
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
    ...ADOPT_OPTIONS,
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

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const [file] = args;
    const { name } = session.config.cluster;
    if (options.confirm !== undefined && options.confirm !== name)
      throw otherName(String(options.confirm), name);
    requireSecrets(session);
    const prepared = await planned(context, session, await adoptRequest(context, session, options));
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
    if (saves || plan.steps.length === 0) return exitWhenDone(plan);
    const undo = options.undo === true;
    const command = undo ? 'oxherd adopt --undo' : 'oxherd adopt';
    const yes = options.yes === true || options.confirm === name;
    return carryOut(context, session, prepared, {
      command,
      confirm: () => agree(context, session.config, prepared, { yes, command }),
    });
  });
}

function unchanged(undo: boolean): string {
  return undo
    ? 'No VM of this cluster was adopted.'
    : 'No changes. Every VM of oxherd.yaml is managed by oxherd.';
}

async function planned(context: CliContext, session: Session, request: AdoptRequest): Promise<PreparedPlan> {
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
