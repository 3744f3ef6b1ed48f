/**
 * Connects to a Proxmox where it can, asks a few questions with what it found as defaults, or takes the answers from flags,
 * and writes a commented oxherd.yaml; makes an age key where there is none, so that the secrets of the first `apply` can be
 * encrypted.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatDiagnostic } from '../../../config/diagnostics.js';
import { chooseSite } from '../../../config/edit/found-site.js';
import { newConfigFile } from '../../../config/edit/new-file.js';
import { type Answers, hostsOf } from '../../../config/edit/new-file-answers.js';
import { loadConfig } from '../../../config/load.js';
import { OxherdError } from '../../../model/error.js';
import { ensureRecipients, systemEnvironment } from '../../../secrets/store.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, DEFAULT_CONFIG, EXIT, type ExitCode } from '../../context.js';
import { answersFrom, ask, fromFlags } from '../../init/answers.js';
import { SCHEMA_FILE, writeCompanions } from '../../init/companions.js';
import { type Connected, connectSite, withProbes } from '../../init/connect.js';
import { tellAgeKey } from '../../views/secrets.js';

export const command: CommandSpec = {
  name: 'init',
  summary: 'look at a Proxmox, ask a few questions, and write an oxherd.yaml that fits',
  options: [
    { flags: '--name <name>', description: 'cluster name' },
    { flags: '--endpoint <url>', description: 'Proxmox API, such as https://pve1.lan:8006' },
    { flags: '--hosts <names>', description: 'Proxmox hosts, separated by commas' },
    { flags: '--subnet <cidr>', description: 'network of the nodes, such as 10.20.30.0/24' },
    { flags: '--gateway <ip>', description: "the network's gateway" },
    { flags: '--vip <ip>', description: 'virtual address of the Kubernetes API' },
    { flags: '--controlplanes <n>', description: 'how many control planes' },
    { flags: '--workers <n>', description: 'how many workers' },
    { flags: '--talos <version>', description: 'Talos version' },
    { flags: '--kubernetes <version>', description: 'Kubernetes version' },
    {
      flags: '--token-script',
      description: 'print a script for root on a Proxmox host: user, roles, rights and the API token',
    },
    {
      flags: '--from-cluster',
      description: 'describe a running cluster that something else made; reads only',
    },
    {
      flags: '--talosconfig <file>',
      description: 'with --from-cluster: of an administrator; default: $TALOSCONFIG',
    },
    {
      flags: '--proxmox <url>',
      description: 'with --from-cluster: the Proxmox API; its token in $OXHERD_PROXMOX_TOKEN',
    },
    { flags: '--fingerprint <sha256>', description: "of Proxmox's certificate, to pin it" },
    { flags: '--insecure', description: "with --from-cluster: do not check Proxmox's certificate" },
    { flags: '--force', description: 'overwrite an existing file' },
  ],
  json: '`{ file, nodes, newAgeKeyFile, notes }`; `--token-script` prints a shell script',
  examples: [
    { command: 'oxherd init', does: 'connects, looks around, and asks with what it found as defaults' },
    { command: 'oxherd init --token-script | ssh root@pve1 sh', does: 'creates the API token' },
    {
      command: 'oxherd init --endpoint https://pve1.lan:8006 --fingerprint AB:CD:…',
      does: 'with OXHERD_PROXMOX_TOKEN: asks nothing that it can find',
    },
    {
      command: 'oxherd init --from-cluster --talosconfig talosconfig --proxmox https://pve1.lan:8006',
      does: 'writes the oxherd.yaml of a running cluster and imports its secrets',
    },
    {
      command:
        'oxherd init --name lab --endpoint https://pve1:8006 --hosts pve1,pve2,pve3 --subnet 10.0.0.0/24 --gateway 10.0.0.1',
      does: 'asks nothing',
    },
  ],
};

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const { options } = input;
  if (options.tokenScript === true) {
    const { tokenScript } = await import('../../../session/discover/token-script.js');
    context.stdout.write(tokenScript());
    return EXIT.done;
  }
  if (options.fromCluster === true) return (await import('../../init-from-cluster.js')).run(context, input);
  const path = resolve(context.cwd, context.globals.config);
  const force = options.force === true;
  if (!force) refuseToOverwrite(path, context.globals.config);
  const flags = answersFrom(options);
  const interactive = context.stdin.isTTY === true && context.stdout.isTTY === true && !context.globals.json;
  const connected = await connectSite(context, { flags, options, interactive });
  if (!connected) return EXIT.interrupted;
  const given = { ...flags, ...connected.answers };
  const answers = interactive
    ? await ask(context, given, connected.found)
    : fromFlags(given, connected.found);
  if (!answers) return EXIT.interrupted;
  const { text, notes } = await fileFor(context, answers, connected);
  const { config, diagnostics } = loadConfig({
    path: context.globals.config,
    text,
    readText: () => undefined,
  });
  if (!config) {
    const problems = diagnostics.filter((d) => d.severity === 'error').map((d) => formatDiagnostic(d));
    throw new OxherdError(
      'init.answers',
      `these answers do not give a valid config:\n${problems.join('\n')}`,
      {
        advice: 'give other answers; nothing was written',
      },
    );
  }
  write(path, text, force, context.globals.config);
  writeCompanions(path, context.globals.lab);
  // The lab's secrets are plain.
  const newAgeKeyFile = context.globals.lab
    ? undefined
    : (await ensureRecipients(systemEnvironment(context.env))).madeAt;
  tell(context, config.nodes.length, newAgeKeyFile, notes);
  return EXIT.done;
}

/** The text of the file, and what is left to do on the Proxmox side. */
async function fileFor(context: CliContext, answers: Answers, connected: Connected) {
  const { fingerprint } = connected;
  const found = connected.found && (await withProbes(context, connected.found, answers));
  const choice = found && chooseSite(found, hostsOf(answers.hosts));
  const text = newConfigFile(answers, {
    schema: SCHEMA_FILE,
    ...(fingerprint !== undefined && { fingerprint }),
    ...(found && { found }),
    ...(choice && { choice }),
  });
  return { text, notes: choice?.notes ?? [] };
}

function tell(
  context: CliContext,
  nodes: number,
  newAgeKeyFile: string | undefined,
  notes: readonly string[],
): void {
  const { config: file, json } = context.globals;
  if (json) {
    context.stdout.write(`${JSON.stringify({ file, nodes, newAgeKeyFile, notes })}\n`);
    return;
  }
  context.stdout.write(`wrote ${file}: ${nodes} nodes\n`);
  for (const note of notes) context.stdout.write(`note: ${note}\n`);
  if (newAgeKeyFile !== undefined) tellAgeKey(context, newAgeKeyFile);
  const other = file === DEFAULT_CONFIG ? '' : ` -c ${file}`;
  context.stdout.write(
    `next: look it over, then \`oxherd${other} --lab apply\` to try it, or \`oxherd${other} doctor\`\n`,
  );
}

function refuseToOverwrite(path: string, shown: string): void {
  if (!existsSync(path)) return;
  throw new OxherdError('init.exists', `there is already ${shown}`, {
    where: path,
    advice: 'keep it, or overwrite it with --force',
  });
}

function write(path: string, text: string, force: boolean, shown: string): void {
  try {
    // `wx`: someone may have made it while we asked.
    writeFileSync(path, text, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'EEXIST') refuseToOverwrite(path, shown);
    throw new OxherdError('init.unwritable', `${shown} cannot be written (${code})`, {
      where: path,
      cause: error,
    });
  }
}
