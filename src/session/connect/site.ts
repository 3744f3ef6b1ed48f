/** Where a session works: the config, and connections to the real Proxmox or to the lab. */
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import type { Schematics } from '../../apply/support/context.js';
import { connectFactory } from '../../clients/factory/factory-client.js';
import { connectProxmox, type ProxmoxConnection } from '../../clients/proxmox/client.js';
import type { TlsTrust } from '../../clients/proxmox/transport/tls.js';
import type { Dial } from '../../clients/talos/connection.js';
import type { Config } from '../../config/config.js';
import type { Clock } from '../../model/clock.js';
import { OxherdError } from '../../model/error.js';
import type { OutsiderMemory } from '../../observe/observe-outsiders.js';
import { MAX_INCLUDED_BYTES, readTextLimited } from '../../secrets/read-file.js';
import type { LabTarget, Place, SessionContext } from '../context.js';
import { withFoundPlaces } from './found-places.js';
import { type Machines, openMachines } from './machines.js';
import { guarded, readOnlyError } from './read-only.js';
import { resolveProxmoxToken } from './resolve-secret.js';
import { schematicsOf } from './schematics.js';
import { wallClock } from './wall-clock.js';

/** A config, and the folder that its paths start from. */
export interface LoadedConfig {
  readonly config: Config;
  readonly directory: string;
}

export interface Site {
  readonly config: Config;
  /** Folder of the config file. */
  readonly directory: string;
  readonly client: ProxmoxConnection;
  readonly clock: Clock;
  readonly machines: Machines;
  readonly schematics: Schematics;
  /** See `Traffic`. */
  readonly outsiders?: OutsiderMemory;
  /** How machines are reached where their addresses are not real ones. */
  readonly dial?: Dial;
  /** The same site once the secrets exist: makes them where there are none. */
  withSecrets(): Promise<Site>;
  close(): Promise<void>;
}

/** Nothing is asked of the target yet, but where partitions are whose place the config leaves open. */
export async function openSite(context: SessionContext, loaded: LoadedConfig): Promise<Site> {
  const { traffic } = context;
  const { directory } = loaded;
  const place = await openPlace(context, loaded);
  const { clock } = place;
  const opened: Machines[] = [];
  const machines = async (config: Config, create: boolean): Promise<Machines> => {
    const made = await openMachines(context, {
      config,
      directory,
      clock,
      create,
      ...(place.dial && { dial: place.dial }),
      ...(place.longCallMs !== undefined && { longCallMs: place.longCallMs }),
    });
    opened.push(made);
    return made;
  };
  const factory = connectFactory({
    url: loaded.config.talos.factory,
    ...(place.dial && { dial: place.dial }),
  });
  const connected = connectProxmox({
    ...place.connection,
    clock,
    random: () => randomInt(2 ** 30) / 2 ** 30,
    signal: context.signal,
    ...(traffic && { pace: traffic.pace }),
    ...(traffic?.parallel !== undefined && { limits: { perHost: traffic.parallel } }),
    onRequest: ({ method, path, endpoint, status, ms, attempt }) => {
      const again = attempt > 1 ? `, attempt ${attempt}` : '';
      const message = `${method} ${path} at ${endpoint}: ${status} in ${Math.round(ms)} ms${again}`;
      context.tell({ kind: 'debug', message });
    },
  });
  const client = context.readOnly === true ? guarded(connected) : connected;
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0)) one.close();
    await client.close();
    await factory.close();
    await place.close();
  };
  try {
    const config = await withFoundPlaces(loaded.config, client);
    const site: Site = {
      config,
      directory,
      client,
      clock,
      machines: await machines(config, false),
      schematics: schematicsOf(config, factory),
      ...(traffic?.outsiders && { outsiders: traffic.outsiders }),
      ...(place.dial && { dial: place.dial }),
      withSecrets: async () => {
        if (context.readOnly === true) throw readOnlyError();
        return site.machines.secrets ? site : { ...site, machines: await machines(config, true) };
      },
      close,
    };
    return site;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Connects, works, and closes again, whatever happens. */
export async function withSite<T>(
  context: SessionContext,
  loaded: LoadedConfig,
  work: (site: Site) => Promise<T>,
): Promise<T> {
  const site = await openSite(context, loaded);
  try {
    return await work(site);
  } finally {
    await site.close();
  }
}

/** Whoever opens a place closes it. */
export async function openPlace(
  context: SessionContext,
  { config, directory }: LoadedConfig,
): Promise<Place> {
  const { target } = context;
  return target.kind === 'lab' ? labPlace(context, target, config) : realPlace(context, config, directory);
}

async function realPlace(context: SessionContext, config: Config, directory: string): Promise<Place> {
  const { endpoints, fingerprints, token, tls } = config.proxmox;
  return {
    connection: {
      endpoints,
      ...(fingerprints && { fingerprints }),
      token: await resolveProxmoxToken(context, directory, token),
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
    return { kind: 'ca', pem: readTextLimited(path, MAX_INCLUDED_BYTES) };
  } catch (cause) {
    if (cause instanceof OxherdError) throw cause;
    throw new OxherdError('config.ca', 'the CA certificate cannot be read', {
      where: path,
      cause,
      advice: 'copy /etc/pve/pve-root-ca.pem of a Proxmox host there, or pin `proxmox.fingerprint` instead',
    });
  }
}

/** The lab is loaded only when it is asked for. */
async function labPlace(context: SessionContext, target: LabTarget, config: Config): Promise<Place> {
  if (target.open) return target.open(config);
  const { openLab } = await import('../lab/open-lab.js');
  return openLab(context, target, config);
}
