import { resolve } from 'node:path';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { DRAIN_OPTIONS, drainFlags, drainHost, drainRequest, showDrain } from '../../host-maintenance.js';
import { withUserFlags } from '../../own-commands.js';
import { withSession } from '../../with-session.js';
import { FULL, YES } from '../shared-options.js';

export const command: CommandSpec = {
  name: 'drain',
  summary: 'empty a Proxmox host for maintenance: its nodes move, or are shut down until it returns',
  args: [{ name: '<host>', description: 'the Proxmox host', names: 'hosts' }],
  options: [
    ...DRAIN_OPTIONS,
    { flags: '--out <file>', description: 'save the plan for `apply FILE`, and do nothing' },
    YES,
    FULL,
  ],
  json: 'with `--out` the plan with `request` and `nodes: [{ node, role, way, to?, why, bytes }]`, else the events of the run, one per line; `{ type: "problems", problems }` where it is refused',
  examples: [
    { command: 'oxherd host drain pve2', does: 'shows what happens to each of its nodes, asks, and does it' },
    { command: 'oxherd host drain pve2 --for 3h --move work-1', does: 'copies the disks of work-1 as well' },
    {
      command: 'oxherd host drain pve2 --out drain.json',
      does: 'shows and saves what would happen, for `oxherd apply drain.json`',
    },
  ],
};

export async function run(context: CliContext, { args, options }: CommandInput): Promise<ExitCode> {
  const [host = ''] = args;
  const request = drainRequest(host, options);
  return withSession(context, async (session) => {
    if (typeof options.out === 'string') {
      const prepared = await session.plan(request, { settled: true });
      const { plan, drain = [] } = prepared;
      const text = `${JSON.stringify({ ...plan, request, nodes: drain }, null, 2)}\n`;
      await replacePrivateFile(resolve(context.cwd, options.out), text);
      if (context.globals.json) context.stdout.write(text);
      showDrain(context, prepared, host);
      return plan.problems.length > 0 ? EXIT.failed : EXIT.done;
    }
    const goOn = `oxherd host drain ${host} ${drainFlags(request)}`;
    const outcome = await drainHost(context, session, request, { yes: options.yes === true, goOn });
    if (outcome === EXIT.done && !context.globals.json)
      context.stdout.write(
        `\n${withUserFlags(context, `When ${host} is back: \`oxherd host return ${host}\``)}\n`,
      );
    return outcome;
  });
}
