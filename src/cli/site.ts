/** Where a command works: the config, its design, and connections to the real Proxmox or to the lab. */
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import { connectProxmox } from '../clients/proxmox/client.js';
import type { TlsTrust } from '../clients/proxmox/tls.js';
import type { Config } from '../config/config.js';
import type { Design } from '../design/design.js';
import { design } from '../design/design-cluster.js';
import type { Clock } from '../model/clock.js';
import { OxherdError } from '../model/error.js';
import type { CliContext } from './context.js';
import { requireConfig } from './read-config.js';
import { resolveSecret } from './resolve-secret.js';
import { wallClock } from './wall-clock.js';

export interface Site {
  readonly config: Config;
  /** Folder of the config file. */
  readonly directory: string;
  readonly design: Design;
  readonly client: ProxmoxClient;
  readonly clock: Clock;
}

/** Connects, works, and lets go again, whatever happens. */
export async function withSite<T>(context: CliContext, work: (site: Site) => Promise<T>): Promise<T> {
  const { config, directory } = requireConfig(context);
  const place = context.globals.lab
    ? await labPlace(context, config)
    : await realPlace(context, config, directory);
  const client = connectProxmox({
    ...place.connection,
    clock: place.clock,
    random: () => randomInt(2 ** 30) / 2 ** 30,
    signal: context.signal,
  });
  try {
    return await work({ config, directory, design: design(config), client, clock: place.clock });
  } finally {
    await client.close();
    await place.close();
  }
}

interface Place {
  readonly connection: Pick<
    Parameters<typeof connectProxmox>[0],
    'endpoints' | 'token' | 'tls' | 'requestTimeoutMs'
  >;
  readonly clock: Clock;
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
  const { openLab } = await import('./open-lab.js');
  return openLab(context, config);
}
