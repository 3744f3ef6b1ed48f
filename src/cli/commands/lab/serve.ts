/** Keeps the lab up until it is interrupted. */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { issueText } from '../../../formats/text/issue-text.js';
import { ownValue } from '../../../formats/text/mapping.js';
import { OxherdError } from '../../../model/error.js';
import { untilAborted } from '../../../model/until-aborted.js';
import { replacePrivateFile } from '../../../secrets/private-file.js';
import { type ServedLab, type ServeOptions, serveLab } from '../../../session/lab/serve-lab.js';
import type { CommandSpec } from '../../command-spec.js';
import { type CliContext, type CommandInput, DEFAULT_CONFIG, EXIT, type ExitCode } from '../../context.js';
import { requireConfig } from '../../require-config.js';

export const command: CommandSpec = {
  name: 'serve',
  summary: 'keep the lab up for other programs',
  options: [
    { flags: '--port <n>', description: 'port of the Proxmox API', default: '8006' },
    {
      flags: '--hosts <names>',
      description: 'Proxmox hosts, separated by commas; default: those of the config, or pve1,pve2,pve3',
    },
    {
      flags: '--profile <name>',
      description: 'a fixed world to start from; default: what the config names, or empty',
    },
    {
      flags: '--token <token>',
      description: "API token 'user@realm!id=uuid', or env:NAME; default: a new one, kept in the state",
    },
    { flags: '--state <dir>', description: 'where the state is kept', default: '.oxherd/lab' },
    { flags: '--speed <x>', description: 'lab seconds per second', default: '10' },
    { flags: '--ready-file <file>', description: 'written when the lab is up (JSON, mode 0600)' },
  ],
  json: '`{ endpoint, endpoints, fingerprint }`, once it is up',
  examples: [
    { command: 'oxherd lab serve --ready-file lab.json', does: 'writes endpoint, token and fingerprint' },
    {
      command: 'oxherd -c examples/homelab/oxherd.yaml lab serve',
      does: 'with the hosts and storages of oxherd.yaml',
    },
  ],
};

const optionsSchema = z.object({
  port: z.coerce.number().int().min(0).max(65_535).default(8006),
  hosts: z.string().optional(),
  profile: z.string().optional(),
  token: z
    .string()
    .regex(/^[^\s:/!]+@[A-Za-z][\w.-]+![A-Za-z][\w.-]+=\S+$/)
    .optional(),
  state: z.string().default('.oxherd/lab'),
  speed: z.coerce.number().positive().max(100_000).default(10),
  readyFile: z.string().optional(),
});

export async function run(context: CliContext, input: CommandInput): Promise<ExitCode> {
  const options = readOptions(input, context.env);
  const { port, speed, token } = options;
  const { labKubernetes: kubernetes } = context.globals;
  const folder = resolve(context.cwd, options.state);
  const lab = await serveLab(context, {
    folder,
    port,
    speed,
    world: chooseWorld(context, options),
    ...(token !== undefined && { token }),
    ...(kubernetes !== undefined && { kubernetes }),
  });
  await announce(context, lab, folder, options.readyFile);
  await untilAborted(context.signal);
  await lab.close();
  return EXIT.done;
}

/** What was asked for, else what the config names, else three hosts. */
function chooseWorld(
  context: CliContext,
  { profile, hosts }: Pick<z.infer<typeof optionsSchema>, 'profile' | 'hosts'>,
): ServeOptions['world'] {
  const { config } = context.globals;
  const isThere = config !== DEFAULT_CONFIG || existsSync(resolve(context.cwd, config));
  if (profile === undefined && hosts === undefined && isThere) return requireConfig(context);
  const named = (hosts ?? 'pve1,pve2,pve3').split(',').filter((host) => host !== '');
  return { profile: profile ?? 'empty', hosts: named };
}

/** `--token env:NAME` keeps the token out of the list of processes. */
function readOptions(input: CommandInput, env: CliContext['env']): z.infer<typeof optionsSchema> {
  const { token } = input.options;
  const variable = typeof token === 'string' ? /^env:(\w+)$/.exec(token)?.[1] : undefined;
  const given =
    variable === undefined ? input.options : { ...input.options, token: ownValue(env, variable) ?? '' };
  const parsed = optionsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const flag = `--${String(issue?.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  // What was given is not repeated: it may be a token.
  const message = issueText({ path: [flag], message: issue?.message ?? 'not valid' });
  throw new OxherdError('lab.option', message, {
    advice: "see oxherd lab serve --help; a token looks like 'root@pam!lab=UUID', or is env:NAME",
  });
}

async function announce(
  context: CliContext,
  { address: { endpoints: others, ...address }, more }: ServedLab,
  folder: string,
  file: string | undefined,
): Promise<void> {
  if (file !== undefined) {
    const content = { ...address, endpoints: others, ...more };
    await replacePrivateFile(resolve(context.cwd, file), `${JSON.stringify(content, null, 2)}\n`);
  }
  if (context.globals.json) {
    const { endpoint, fingerprint } = address;
    context.stdout.write(`${JSON.stringify({ endpoint, endpoints: others, fingerprint })}\n`);
    return;
  }
  context.stdout.write(
    `Proxmox API  ${Object.entries(others)
      .map(([host, url]) => `${host} ${url}`)
      .join('  ')}\n`,
  );
  context.stdout.write(`fingerprint  ${address.fingerprint}\n`);
  context.stdout.write(`token        in ${join(folder, 'token')}\n`);
  context.stdout.write('Ctrl-C ends the lab; its state is kept.\n');
}
