/**
 * Asks a few questions, or takes the answers from flags, and writes a commented oxherd.yaml; makes an age key where there
 * is none, so that the secrets of the first `apply` can be encrypted.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { formatDiagnostic } from '../../../config/diagnostics.js';
import { newConfigFile } from '../../../config/edit/new-file.js';
import {
  type AnswerKey,
  type Answers,
  QUESTIONS,
  type Question,
} from '../../../config/edit/new-file-answers.js';
import { loadConfig } from '../../../config/load.js';
import { OxherdError } from '../../../model/error.js';
import { ensureRecipients, systemEnvironment } from '../../../secrets/store.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, DEFAULT_CONFIG, EXIT, type ExitCode } from '../../context.js';
import { tellAgeKey } from '../../views/secrets.js';
import { rawStream } from '../../views/terminal-text.js';

export const command: CommandSpec = {
  name: 'init',
  summary: 'ask a few questions and write a commented oxherd.yaml; create an age key if there is none',
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
    { flags: '--fingerprint <sha256>', description: "with --from-cluster: of Proxmox's certificate" },
    { flags: '--insecure', description: "with --from-cluster: do not check Proxmox's certificate" },
    { flags: '--force', description: 'overwrite an existing file' },
  ],
  json: '`{ file, nodes, newAgeKeyFile }`',
  examples: [
    { command: 'oxherd init', does: 'asks for everything' },
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

type Given = Partial<Record<AnswerKey, string>>;

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const { options } = input;
  if (options.fromCluster === true) return (await import('../../init-from-cluster.js')).run(context, input);
  const path = resolve(context.cwd, context.globals.config);
  const force = options.force === true;
  if (!force) refuseToOverwrite(path, context.globals.config);
  const flags = answersFrom(options);
  const interactive = context.stdin.isTTY === true && context.stdout.isTTY === true && !context.globals.json;
  const answers = interactive ? await ask(context, flags) : fromFlags(flags);
  if (!answers) return EXIT.interrupted;

  const text = newConfigFile(answers);
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
  // The lab's secrets are plain.
  const newAgeKeyFile = context.globals.lab
    ? undefined
    : (await ensureRecipients(systemEnvironment(context.env))).madeAt;
  tell(context, config.nodes.length, newAgeKeyFile);
  return EXIT.done;
}

function tell(context: CliContext, nodes: number, newAgeKeyFile: string | undefined): void {
  const { config: file, json } = context.globals;
  if (json) {
    context.stdout.write(`${JSON.stringify({ file, nodes, newAgeKeyFile })}\n`);
    return;
  }
  context.stdout.write(`wrote ${file}: ${nodes} nodes\n`);
  if (newAgeKeyFile !== undefined) tellAgeKey(context, newAgeKeyFile);
  const other = file === DEFAULT_CONFIG ? '' : ` -c ${file}`;
  context.stdout.write(
    `next: look it over, then \`oxherd${other} --lab apply\` to try it, or \`oxherd${other} doctor\`\n`,
  );
}

function answersFrom(options: CommandInput['options']): Given {
  const given: Given = {};
  for (const { key } of QUESTIONS) {
    const value = options[key];
    if (value !== undefined) given[key] = String(value).trim();
  }
  return given;
}

function fromFlags(flags: Given): Answers {
  const missing: string[] = [];
  const wrong: string[] = [];
  const answers: Given = {};
  for (const { key, fallback, problem } of QUESTIONS) {
    const value = flags[key] ?? fallback(answers);
    if (value === undefined) {
      missing.push(`--${key}`);
      continue;
    }
    answers[key] = value;
    const bad = problem(value, answers);
    if (bad) wrong.push(`--${key}: ${bad}`);
  }
  if (missing.length > 0) {
    throw new OxherdError('init.missing', `not a terminal, and no answer for ${missing.join(', ')}`, {
      advice: 'give these flags, or run it in a terminal',
    });
  }
  if (wrong.length > 0) throw new OxherdError('init.answers', wrong.join('\n'));
  return complete(answers);
}

/** `undefined` where the user gave up. */
async function ask(context: CliContext, flags: Given): Promise<Answers | undefined> {
  const clack = await import('@clack/prompts');
  const answers: Given = {};
  for (const question of QUESTIONS) {
    const { key, problem } = question;
    const flag = flags[key];
    if (flag !== undefined) {
      const bad = problem(flag, answers);
      if (bad) throw new OxherdError('init.answers', `--${key}: ${bad}`);
      answers[key] = flag;
      continue;
    }
    if (!isAsked(question, answers)) {
      answers[key] = question.fallback(answers) ?? '';
      continue;
    }
    const fallback = question.fallback(answers);
    const answer = await clack.text({
      message: question.message,
      placeholder: fallback || question.example,
      ...(fallback !== undefined && { defaultValue: fallback }),
      validate: (text = '') =>
        text.trim() === '' && fallback !== undefined ? undefined : problem(text.trim(), answers),
      input: context.stdin,
      output: rawStream(context.stdout),
      signal: context.signal,
    });
    if (clack.isCancel(answer)) return undefined;
    answers[key] = answer.trim();
  }
  return complete(answers);
}

/** One control plane has its own address and needs no other. */
function isAsked({ key }: Question, answers: Given): boolean {
  return key !== 'vip' || answers.controlplanes !== '1';
}

function complete(given: Given): Answers {
  const answer = (key: AnswerKey): string => given[key] ?? '';
  return {
    name: answer('name'),
    endpoint: answer('endpoint'),
    hosts: answer('hosts'),
    subnet: answer('subnet'),
    gateway: answer('gateway'),
    controlplanes: answer('controlplanes'),
    workers: answer('workers'),
    vip: answer('vip'),
    talos: answer('talos'),
    kubernetes: answer('kubernetes'),
  };
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
    // `wx`: somebody may have made it while we asked.
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
