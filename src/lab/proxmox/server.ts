/** A Proxmox VE cluster on loopback: one HTTPS listener per host, one state behind them. */
import type { LabCore, MachineRoom } from '../lab.js';
import { createAccessControl } from './access/control.js';
import { TicketOffice } from './access/tickets.js';
import { type FetchedFile, type Pve, PveError } from './api.js';
import { openPveDb } from './db.js';
import { defineTasks, HANDLERS } from './handlers.js';
import type { PveKeys } from './host-keys.js';
import { followHostPower } from './host-power.js';
import { dispatch, type PveRequest, type Site } from './http/dispatch.js';
import { fetchFromLoopback } from './http/fetch-url.js';
import { Listener } from './http/listener.js';
import { type RequestCounts, RequestRecorder } from './recorder.js';
import { type TaskDurations, TaskEngine } from './tasks/tasks.js';
import type { Fields } from './validation/check.js';

/** A request without the parts of HTTP. */
interface RootCall {
  readonly host: string;
  readonly method: string;
  /** Below `/api2/json`. */
  readonly path: string;
}

interface PveOptions {
  readonly core: LabCore;
  /** Certificates of every host in the state, and the key that tickets are signed with. */
  readonly keys: PveKeys;
  readonly machines?: MachineRoom;
  /** Port of the first host's API; 0 (default): any. The others take any. */
  readonly port?: number;
  /** 1 (default): tasks take as long as their kind says, in lab time. */
  readonly taskDuration?: TaskDurations;
  /** Wall-clock milliseconds that every request takes on its way; 0 by default. */
  readonly latency?: number;
  /** Files of the lab's own factory; `undefined`: not an address of it. */
  readonly factoryFile?: (url: string) => FetchedFile | undefined;
}

export interface PveService {
  readonly pve: Pve;
  /** The first host's: `https://127.0.0.1:PORT` */
  readonly endpoint: string;
  readonly endpoints: ReadonlyMap<string, string>;
  requests(): RequestCounts;
  /** Calls a method of the API as the tools on a host do, as root@pam, and returns its `data`. */
  asRoot(call: RootCall, fields: Fields): Promise<unknown>;
  /** Errors that are the simulator's own fault; empty, or there is something to repair. */
  bugs(): readonly { readonly error: unknown; readonly request: string }[];
  stop(): Promise<void>;
}

export async function startPve(options: PveOptions): Promise<PveService> {
  const { core, keys } = options;
  const db = openPveDb(core.store);
  const tickets = new TicketOffice(keys.ticketKey, () => core.clock.now(), core.clock.pace);
  const tasks = new TaskEngine(core, db, options.taskDuration ?? 1);
  const pve: Pve = {
    core,
    db,
    tasks,
    machines: options.machines,
    access: createAccessControl(db, tickets),
    fingerprint: (host) => keys.hosts.get(host)?.fingerprint ?? '',
    fetchUrl: async (url, { verify }) =>
      options.factoryFile?.(url) ?? fetchFromLoopback(url, core.faults, verify),
  };
  defineTasks(pve);
  followHostPower(pve);

  const bugs: { error: unknown; request: string }[] = [];
  const onBug = (error: unknown, request: PveRequest) =>
    void bugs.push({ error, request: `${request.method} ${request.path}` });
  const site: Site = { pve, tickets, handlers: HANDLERS, onBug };
  const recorder = new RequestRecorder();
  const listeners: Listener[] = [];
  const endpoints = new Map<string, string>();
  for (const host of db.hosts.values()) {
    const own = keys.hosts.get(host.name);
    if (!own) throw new Error(`no certificate for host ${host.name}`);
    const { key, certificate } = own;
    const latency = options.latency ?? 0;
    const listener = new Listener({ site, host: host.name, key, certificate, recorder, latency });
    const port = await listener.listen(listeners.length === 0 ? (options.port ?? 0) : 0);
    listeners.push(listener);
    endpoints.set(host.name, `https://127.0.0.1:${port}`);
  }
  const [endpoint] = endpoints.values();
  if (endpoint === undefined) throw new Error('a Proxmox cluster needs at least one host');
  return {
    pve,
    endpoint,
    endpoints,
    requests: () => recorder.counts(),
    async asRoot(request, fields) {
      const whole = { ...request, query: '', headers: {} };
      const answer = await dispatch(site, whole, { id: 'root@pam', byToken: false }, { ...fields });
      const { data, message, errors } = JSON.parse(answer.body || '{}');
      if (answer.status === 200) return data;
      const details = Object.entries(errors ?? {}).map(([key, text]) => `${key}: ${text}`);
      throw new PveError(answer.status, [message ?? answer.reason, ...details].join(' ').trim());
    },
    bugs: () => bugs,
    async stop() {
      await Promise.all(listeners.map((listener) => listener.close()));
    },
  };
}
