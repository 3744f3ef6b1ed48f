/**
 * Room `lab`: simulated Proxmox, Talos, Kubernetes and Image Factory.
 * May touch: its state folder, loopback addresses, a clock of its own; never a planner or a client.
 *
 * The lab: simulators that share one store, clock, network and set of faults, started and stopped together.
 */
import { randomUUID } from 'node:crypto';
import { OxherdError } from '../model/error.js';
import { DrivenClock, type LabClock, ScaledClock } from './clock.js';
import { createFaults, type Fault } from './faults.js';
import { keepTime } from './kept-time.js';
import type { LabCore, MachineRoom } from './lab.js';
import { type Network, privateNetwork } from './network.js';
import { findProfile } from './profiles/profiles.js';
import { hashSecret } from './proxmox/access/secrets.js';
import type { FetchedFile } from './proxmox/api.js';
import { openPveDb, type PveDb } from './proxmox/db.js';
import { completeKeys, readKeys } from './proxmox/host-keys.js';
import { switchOffDownHosts } from './proxmox/host-power.js';
import { type PveService, startPve } from './proxmox/server.js';
import type { TaskDurations } from './proxmox/tasks/tasks.js';
import { storedRandom } from './random.js';
import { type LabState, memoryState } from './state.js';
import { createTimeline } from './timeline.js';
import { buildWorld, type LabWorld } from './world.js';

export { FAULTS, type Fault, type FaultName, parseFault } from './faults.js';
export { type LabPartsOptions, labParts } from './parts.js';
export { findProfile, PROFILES } from './profiles/profiles.js';
export { folderState, memoryState } from './state.js';
export { type LabWorld, worldFor } from './world.js';

/** A simulator beside Proxmox. It declares its events in `create`, before time goes on. */
export interface LabPart {
  readonly name: string;
  /** The guests' side of the hypervisor, if this part has it. */
  readonly machines?: MachineRoom;
  /** A file that hosts can download from this part. */
  readonly file?: (url: string) => FetchedFile | undefined;
  start?(lab: Lab): Promise<void>;
  stop?(): Promise<void>;
}

export type LabPartMaker = (core: LabCore, db: PveDb) => LabPart;

export interface LabOptions {
  /** Where the state lives; default: in memory. */
  readonly state?: LabState;
  /** What an empty state is filled with; default: profile `empty` with host `pve1`. */
  readonly world?: LabWorld;
  /** `driven` (default) jumps to the next moment anybody waits for; a number follows the wall, so many times as fast. */
  readonly speed?: 'driven' | number;
  readonly port?: number;
  /** `user@realm!id=secret`; default: one of an earlier run, or a new one for `root@pam!lab`. */
  readonly token?: string;
  readonly network?: Network;
  /** On until the lab is stopped. */
  readonly faults?: readonly Fault[];
  readonly taskDuration?: TaskDurations;
  readonly latency?: number;
  readonly parts?: readonly LabPartMaker[];
  /** The wall's time, for certificates. */
  readonly now?: Date;
}

export interface Lab {
  readonly core: LabCore;
  readonly clock: LabClock;
  readonly proxmox: PveService;
  /** `https://127.0.0.1:PORT` of the first host. */
  readonly endpoint: string;
  /** SHA-256 of its certificate, `AB:CD:…`. */
  readonly fingerprint: string;
  /** PEM of the authority of all hosts. */
  readonly authority: string;
  /** `user@realm!id=secret` */
  readonly token: string;
  /** A login of root@pam himself, which a token is not. */
  rootLogin(): { ticket: string; csrf: string };
  /** Where a client finds lab address `ip:port`; `undefined`: nothing answers there. */
  dial(ip: string, port: number): { host: string; port: number } | undefined;
  stop(): Promise<void>;
}

/** Lab time begins here, so that runs from an empty state are alike. */
const FIRST_MOMENT = Date.UTC(2026, 0, 1);
const SEED = 'oxherd-lab';

export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const state = options.state ?? memoryState();
  try {
    return await start(options, state);
  } catch (error) {
    state.close();
    throw portTaken(error, options.port) ?? error;
  }
}

function portTaken(error: unknown, port = 0): OxherdError | undefined {
  const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  if (!taken) return undefined;
  return new OxherdError('lab.port', `port ${port} of 127.0.0.1 is in use`, {
    advice: 'choose another one with --port, or 0 for any',
    cause: error,
  });
}

async function start(options: LabOptions, state: LabState): Promise<Lab> {
  const { store } = state;
  const time = keepTime(store);
  const start = time.last() ?? FIRST_MOMENT;
  const speed = options.speed ?? 'driven';
  const clock = speed === 'driven' ? new DrivenClock(start) : new ScaledClock(start, speed);
  time.follow(clock);
  const core: LabCore = {
    store,
    clock,
    timeline: createTimeline(store, clock),
    network: options.network ?? privateNetwork(),
    faults: createFaults(store),
    random: storedRandom(store, SEED),
  };
  const db = openPveDb(store);
  if (db.hosts.size === 0) {
    buildWorld(
      db,
      options.world ?? findProfile('empty')?.world(['pve1']) ?? { hosts: [], storages: [] },
      core.random,
    );
    db.settings.put('booted', start);
  }
  for (const fault of options.faults ?? []) core.faults.set(fault);

  const hosts = [...db.hosts.values()].map((host) => host.name);
  const stored = await completeKeys(hosts, state.readKeys(), options.now ?? new Date());
  state.writeKeys(stored);
  const keys = readKeys(stored);
  const token = options.token ?? state.readToken() ?? `root@pam!lab=${randomUUID()}`;
  admit(db, core, token);
  state.writeToken(token);

  const parts = (options.parts ?? []).map((make) => make(core, db));
  const machines = parts.find((part) => part.machines)?.machines;
  const proxmox = await startPve({
    core,
    keys,
    ...(machines && { machines }),
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.taskDuration === undefined ? {} : { taskDuration: options.taskDuration }),
    ...(options.latency === undefined ? {} : { latency: options.latency }),
    factoryFile: (url) => parts.map((part) => part.file?.(url)).find((file) => file !== undefined),
  });
  const lab: Lab = {
    core,
    clock,
    proxmox,
    endpoint: proxmox.endpoint,
    fingerprint: keys.hosts.get(hosts[0] ?? '')?.fingerprint ?? '',
    authority: keys.authority,
    token,
    rootLogin: () => proxmox.pve.access.newTicket('root@pam'),
    dial: (ip, port) => core.network.dial(ip, port),
    async stop() {
      // Time first: what would happen meanwhile happens when the lab is opened again.
      clock.stop();
      await proxmox.stop();
      for (const part of [...parts].reverse()) await part.stop?.();
      // They were asked for this time only; `lab fault` switches them for good.
      for (const { name, subject } of options.faults ?? []) core.faults.clear(name, subject);
      time.stopped();
      state.close();
    },
  };
  for (const part of parts) await part.start?.(lab);
  switchOffDownHosts(proxmox.pve);
  core.timeline.resume();
  return lab;
}

/** The lab's own token, with all the rights of its user; only a hash of its secret is kept in the state. */
function admit(db: PveDb, core: LabCore, token: string): void {
  const [, user, id, secret] = /^([^!]+)!([^=]+)=(.+)$/.exec(token) ?? [];
  if (user === undefined || id === undefined || secret === undefined) {
    throw new Error('the token is not of the form user@realm!id=secret');
  }
  if (!db.users.has(user)) db.users.put(user, { id: user, enable: true, expire: 0, groups: [] });
  db.tokens.put(`${user}!${id}`, {
    user,
    id,
    secret: hashSecret(core.random.hex(16), secret),
    privsep: false,
    expire: 0,
  });
}
