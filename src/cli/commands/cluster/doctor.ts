/** `oxherd doctor`: what stands between this computer and a working `apply`. */

import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../../context.js';
import { printChecks } from '../../views/doctor.js';
import { withSession } from '../../with-session.js';

export const command: CommandSpec = {
  name: 'doctor',
  summary: 'check connection, token, rights, storages, network, space',
  options: [
    { flags: '--offline', description: 'ask Proxmox alone, neither nodes nor factory, registries and DNS' },
  ],
  json: '`{ checks: [{ group, result, text, fix? }], summary: { ok, warn, fail } }`; `result` is `ok`, `warn` or `fail`',
  examples: [{ command: 'oxherd doctor', does: 'prints what is missing and the command that fixes it' }],
};

export async function run(context: CliContext, { options }: CommandInput): Promise<ExitCode> {
  const offline = options.offline === true;
  const checks = await withSession(context, (session) => session.examine({ offline }));
  printChecks(context, checks);
  return checks.some((check) => check.result === 'fail') ? EXIT.failed : EXIT.done;
}
