import { agree } from '../../agree.js';
import { carryOut } from '../../carry-out.js';
import type { CommandSpec } from '../../command-spec.js';
import type { CliContext, CommandInput, ExitCode } from '../../context.js';
import { printPlan } from '../../views/plan.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'adopt',
  summary: 'give a volume its identity: after a restore, or of two with one WWN',
  args: [
    { name: '<name>', description: 'the volume as `volumes list` shows it', names: 'volumes' },
    { name: '<volid>', description: 'the Proxmox volume that is the right one' },
  ],
  options: [
    { flags: '--confirm <name>', description: 'the same name again, where it cannot be told which is which' },
  ],
  json: 'the events of the run, one per line',
  examples: [
    { command: 'oxherd volumes adopt work-1/longhorn local-zfs:vm-1510-disk-3', does: 'uses this volume' },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [name = '', volid = ''] = args;
  return withSession(context, async (session) => {
    const prepared = await session.plan({ kind: 'adopt-volume', name, volid }, { settled: true });
    if (!context.globals.json) printPlan(context, prepared.plan);
    const command = `oxherd volumes adopt ${name} ${volid}`;
    return carryOut(context, session, prepared, {
      command,
      // Without a doubt the volume that was named is the answer.
      confirm: () =>
        agree(context, session.config, prepared, {
          yes: true,
          given: options.confirm,
          command: `${command} --confirm ${name}`,
        }),
    });
  });
}
