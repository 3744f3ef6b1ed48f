/** Where a command works: the config, and connections to the real Proxmox or to the lab. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Schematics } from '../../apply/support/context.js';
import type { CliContext } from '../../cli/context.js';
import { connectFactory } from '../../clients/factory/factory-client.js';
import { connectProxmox, type ProxmoxConnection } from '../../clients/proxmox/client.js';
import type { TlsTrust } from '../../clients/proxmox/tls.js';
import type { Dial } from '../../clients/talos/connection.js';
import type { Config } from '../../config/config.js';
import type { Clock } from '../../model/clock.js';
import { OxherdError } from '../../model/error.js';
import { requireConfig } from '../config/read-config.js';
import { type Machines, openMachines } from './machines.js';
import { resolveSecret } from './resolve-secret.js';
import { schematicsOf } from './schematics.js';
import { wallClock } from './wall-clock.js';

export interface Site {
  readonly config: Config;
  /** Folder of the config file. */
  readonly directory: string;
  readonly client: ProxmoxConnection;
  readonly clock: Clock;
  readonly machines: Machines;
  readonly schematics: Schematics;
  /** How machines are reached where their addresses are not real ones. */
  readonly dial?: Dial;
  /** The same site once the secrets exist: makes them where there are none. */
  withSecrets(): Promise<Site>;
}

/** Connects, works, and lets go again, whatever happens. */
export async function withSite<T>(context: CliContext, work: (site: Site) => Promise<T>): Promise<T> {
  const { config, directory } = requireConfig(context);
  const place = context.globals.lab
    ? await labPlace(context, config)
    : await realPlace(context, config, directory);
  const { clock } = place;
  const opened: Machines[] = [];
  const machines = async (create: boolean): Promise<Machines> => {
    const made = await openMachines(context, {
      config,
      directory,
      clock,
      create,
      ...(place.dial && { dial: place.dial }),
    });
    opened.push(made);
    return made;
  };
  const factory = connectFactory({ url: config.talos.factory, ...(place.dial && { dial: place.dial }) });
  const client = connectProxmox({
    ...place.connection,
    clock,
    random: () => randomInt(2 ** 30) / 2 ** 30,
    signal: context.signal,
  });
  try {
    const site: Site = {
      config,
      directory,
      client,
      clock,
      machines: await machines(false),
      schematics: schematicsOf(config, factory),
      ...(place.dial && { dial: place.dial }),
      withSecrets: async () => (site.machines.secrets ? site : { ...site, machines: await machines(true) }),
    };
    return await work(site);
  } finally {
    for (const one of opened) one.close();
    await client.close();
    await factory.close();
    await place.close();
  }
}

/** A Proxmox and the network its machines are in. */
export interface Place {
  readonly connection: Pick<
    Parameters<typeof connectProxmox>[0],
    'endpoints' | 'token' | 'tls' | 'requestTimeoutMs'
  >;
  readonly clock: Clock;
  readonly dial?: Dial;
  close(): Promise<void>;
}

async function realPlace(context: CliContext, config: Config, directory: string): Promise<Place> {
  const { endpoints, token, tls } = config.proxmox;
  return {
    connection: {
      endpoints,
      token: await resolveSecret(context, directory, token),
      tls: trust(tls, directory),
    },
    clock: wallClock,
    close: async () => {},
  };
}

function trust(tls: Config['proxmox']['tls'], directory: string): TlsTrust {
  if (tls.kind !== 'ca') return tls;
  const path = resolve(directory, tls.path);
  try {
    return { kind: 'ca', pem: readFileSync(path, 'utf8') };
  } catch (cause) {
    throw new OxherdError('config.ca', 'the CA certificate cannot be read', { where: path, cause });
  }
}

/** The lab is loaded only when it is asked for. */
async function labPlace(context: CliContext, config: Config): Promise<Place> {
  if (context.openLab) return context.openLab(config);
  const { openLab } = await import('../lab/open-lab.js');
  return openLab(context, config);
}
