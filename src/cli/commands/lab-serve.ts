/** Keeps the lab up until it is interrupted. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import type { Config } from '../../config/config.js';
import { addressOf, startControl } from '../../lab/control.js';
import { type Lab, startLab } from '../../lab/index.js';
import { publicNetwork } from '../../lab/network.js';
import { labParts } from '../../lab/parts.js';
import { findProfile, PROFILES, type Profile, type ProfileMachines } from '../../lab/profiles/profiles.js';
import { folderState, writePrivate } from '../../lab/state.js';
import type { LabWorld } from '../../lab/world.js';
import { OxherdError } from '../../model/error.js';
import { requireConfig } from '../../session/config/read-config.js';
import { leasesOf, worldOf } from '../../session/lab/lab-world.js';
import { labKubernetes, labNotice } from '../../session/lab/open-lab.js';
import { type CliContext, type CommandInput, DEFAULT_CONFIG, EXIT, type ExitCode } from '../context.js';

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
  const { world, leases, profile } = chooseWorld(context, options);
  const folder = resolve(context.cwd, options.state);
  const state = await folderState(folder);
  const lab = await startLab({
    state,
    world,
    speed: options.speed,
    port: options.port,
    network: publicNetwork(),
    parts: labParts({
      ...(leases && { leases }),
      machines: profile?.standIns !== true,
      kubernetes: labKubernetes(context, folder),
      notice: labNotice(context),
    }),
    ...(options.token === undefined ? {} : { token: options.token }),
  });
  const machines = await profile?.machines?.(lab.core);
  const control = await startControl(lab);
  state.lock.announce(control);
  announce(context, lab, folder, { file: options.readyFile, more: machines?.ready ?? {} });
  await interrupted(context.signal);
  await control.close();
  await machines?.close();
  await lab.stop();
  return EXIT.done;
}

interface Chosen {
  readonly world: LabWorld;
  readonly leases?: ReturnType<typeof leasesOf>;
  readonly profile?: Profile;
}

/** What an empty state is filled with: what was asked for, else what the config names, else three hosts. */
function chooseWorld(
  context: CliContext,
  { profile: name, hosts }: Pick<z.infer<typeof optionsSchema>, 'profile' | 'hosts'>,
): Chosen {
  const { config } = context.globals;
  const isThere = config !== DEFAULT_CONFIG || existsSync(resolve(context.cwd, config));
  if (name === undefined && hosts === undefined && isThere) return configured(requireConfig(context).config);
  const profile = findProfile(name ?? 'empty');
  const named = (hosts ?? 'pve1,pve2,pve3').split(',').filter((host) => host !== '');
  if (profile) return { world: profile.world(named), profile };
  throw new OxherdError('lab.profile', `there is no lab profile ${name}`, {
    advice: `profiles are: ${Object.keys(PROFILES).join(', ')}`,
  });
}

function configured(config: Config): Chosen {
  return { world: worldOf(config), leases: leasesOf(config) };
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

function announce(
  context: CliContext,
  lab: Lab,
  folder: string,
  ready: { readonly file: string | undefined; readonly more: ProfileMachines['ready'] },
): void {
  const { endpoints: others, ...address } = addressOf(lab);
  if (ready.file !== undefined) {
    const content = { ...address, endpoints: others, ...ready.more };
    writePrivate(resolve(context.cwd, ready.file), `${JSON.stringify(content, null, 2)}\n`);
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
