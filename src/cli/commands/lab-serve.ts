/** Keeps the lab up until it is interrupted. */
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { addressOf, startControl } from '../../lab/control.js';
import { type Lab, startLab } from '../../lab/index.js';
import { publicNetwork } from '../../lab/network.js';
import { labParts } from '../../lab/parts.js';
import { findProfile, PROFILES } from '../../lab/profiles/profiles.js';
import { folderState, writePrivate } from '../../lab/state.js';
import { OxherdError } from '../../model/error.js';
import { type CliContext, type CommandInput, EXIT, type ExitCode } from '../context.js';

const optionsSchema = z.object({
  port: z.coerce.number().int().min(0).max(65_535).default(8006),
  hosts: z.string().default('pve1,pve2,pve3'),
  profile: z.string().default('empty'),
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
  const profile = findProfile(options.profile);
  if (!profile) {
    throw new OxherdError('lab.profile', `there is no lab profile ${options.profile}`, {
      advice: `profiles are: ${Object.keys(PROFILES).join(', ')}`,
    });
  }
  const hosts = options.hosts.split(',').filter((host) => host !== '');
  const folder = resolve(context.cwd, options.state);
  const state = await folderState(folder);
  const lab = await startLab({
    state,
    world: profile.world(hosts),
    speed: options.speed,
    port: options.port,
    network: publicNetwork(),
    parts: labParts(),
    ...(options.token === undefined ? {} : { token: options.token }),
  });
  const control = await startControl(lab);
  state.lock.announce(control);
  announce(context, lab, folder, options.readyFile);
  await interrupted(context.signal);
  await control.close();
  await lab.stop();
  return EXIT.done;
}

/** `--token env:NAME` keeps the token out of the list of processes. */
function readOptions(input: CommandInput, env: CliContext['env']): z.infer<typeof optionsSchema> {
  const { token } = input.options;
  const variable = typeof token === 'string' ? /^env:(\w+)$/.exec(token)?.[1] : undefined;
  const given = variable === undefined ? input.options : { ...input.options, token: env[variable] ?? '' };
  const parsed = optionsSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const flag = String(issue?.path[0]).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  // What was given is not repeated: it may be a token.
  throw new OxherdError('lab.option', `--${flag} is not valid: ${issue?.message}`, {
    advice: "see oxherd lab serve --help; a token looks like 'root@pam!lab=UUID', or is env:NAME",
  });
}

function announce(context: CliContext, lab: Lab, folder: string, readyFile: string | undefined): void {
  const { endpoints: others, ...address } = addressOf(lab);
  if (readyFile !== undefined) {
    writePrivate(
      resolve(context.cwd, readyFile),
      `${JSON.stringify({ ...address, endpoints: others }, null, 2)}\n`,
    );
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

function interrupted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}
