import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, EXIT, type ExitCode } from '../../context.js';
import { hostsText } from '../../views/host.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'status',
  summary: 'the Proxmox hosts: what runs where, free memory, what is drained',
  json: '`[{ name, online, memory?, free?, nodes: [{ name, role, running }], drained: [{ node, on, until? }], ha?: [{ node, vmid, state, message, advice }], others }]`, memory in bytes',
  examples: [{ command: 'oxherd host status --json', does: 'as JSON' }],
};

export async function run(context: CliContext): Promise<ExitCode> {
  return withSession(context, async (session) => {
    const hosts = await session.hosts();
    context.stdout.write(
      context.globals.json ? `${JSON.stringify(hosts, null, 2)}\n` : `${hostsText(context, hosts)}\n`,
    );
    return EXIT.done;
  });
}
