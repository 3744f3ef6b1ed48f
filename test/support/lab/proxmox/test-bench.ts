/** The Proxmox simulator without listeners, for tests: requests go in as method, path and parameters. */
import { DrivenClock } from '../../../../src/lab/clock.js';
import { createFaults } from '../../../../src/lab/faults.js';
import type { LabCore, MachineRoom } from '../../../../src/lab/lab.js';
import { privateNetwork } from '../../../../src/lab/network.js';
import { createAccessControl } from '../../../../src/lab/proxmox/access/control.js';
import { TicketOffice } from '../../../../src/lab/proxmox/access/tickets.js';
import type { FetchedFile, Pve } from '../../../../src/lab/proxmox/api.js';
import { openPveDb } from '../../../../src/lab/proxmox/db.js';
import { defineTasks, HANDLERS } from '../../../../src/lab/proxmox/handlers.js';
import { followHostPower } from '../../../../src/lab/proxmox/host-power.js';
import { dispatch } from '../../../../src/lab/proxmox/http/dispatch.js';
import { TaskEngine } from '../../../../src/lab/proxmox/tasks/tasks.js';
import { storedRandom } from '../../../../src/lab/random.js';
import { memoryStore } from '../../../../src/lab/store.js';
import { createTimeline } from '../../../../src/lab/timeline.js';
import { buildWorld, type LabWorld } from '../../../../src/lab/world.js';

export interface Reply {
  readonly status: number;
  /** The message of an error, the `data` of an answer. */
  readonly data: unknown;
  readonly errors?: Readonly<Record<string, string>>;
}

export interface Bench {
  readonly pve: Pve;
  /** As root@pam himself unless another id is given. */
  send(method: string, path: string, params?: Record<string, string | number>, id?: string): Promise<Reply>;
  /** Sends, waits for the task if there is one, and gives back its exit status (or the error). */
  run(method: string, path: string, params?: Record<string, string | number>, id?: string): Promise<string>;
  wait(milliseconds: number): Promise<void>;
  readonly bugs: readonly unknown[];
}

export interface BenchOptions {
  readonly machines?: MachineRoom;
  readonly files?: (url: string) => FetchedFile;
}

export function openBench(world: LabWorld, options: BenchOptions = {}): Bench {
  const store = memoryStore();
  const clock = new DrivenClock(Date.UTC(2026, 0, 1));
  const core: LabCore = {
    store,
    clock,
    timeline: createTimeline(store, clock),
    network: privateNetwork(),
    faults: createFaults(store),
    random: storedRandom(store, 'bench'),
  };
  const db = openPveDb(store);
  buildWorld(db, world, core.random);
  const tickets = new TicketOffice('bench', () => clock.now());
  const pve: Pve = {
    core,
    db,
    tasks: new TaskEngine(core, db, 1),
    machines: options.machines,
    access: createAccessControl(db, tickets),
    fingerprint: () => '',
    fetchUrl: async (url) => {
      if (!options.files) throw new Error(`nothing serves ${url}`);
      return options.files(url);
    },
  };
  defineTasks(pve);
  followHostPower(pve);
  const bugs: unknown[] = [];
  const site = { pve, tickets, handlers: HANDLERS, onBug: (error: unknown) => void bugs.push(error) };

  const send: Bench['send'] = async (method, path, params = {}, id = 'root@pam') => {
    const fields = new URLSearchParams();
    for (const [key, value] of Object.entries(params)) fields.set(key, String(value));
    const inQuery = method === 'GET' || method === 'DELETE';
    const answer = await dispatch(
      site,
      {
        host: 'pve1',
        method,
        path,
        query: inQuery ? fields.toString() : '',
        headers: inQuery ? {} : { 'content-type': 'application/x-www-form-urlencoded' },
      },
      { id, byToken: id.includes('!') },
      inQuery ? '' : fields.toString(),
    );
    const body: { data?: unknown; message?: string; errors?: Record<string, string> } =
      answer.body === '' ? {} : JSON.parse(answer.body);
    const data = answer.status === 200 ? body.data : (body.message ?? answer.reason).replace(/\n$/, '');
    return { status: answer.status, data, ...(body.errors ? { errors: body.errors } : {}) };
  };

  const run: Bench['run'] = async (method, path, params, id) => {
    const reply = await send(method, path, params, id);
    if (reply.status !== 200) return `${reply.status} ${reply.data}`;
    if (typeof reply.data !== 'string' || !reply.data.startsWith('UPID:')) return 'done';
    for (;;) {
      const exitstatus = db.tasks.get(reply.data)?.exitstatus;
      if (exitstatus !== undefined) return exitstatus;
      await clock.sleep(100);
    }
  };
  return { pve, send, run, wait: (milliseconds) => clock.sleep(milliseconds), bugs };
}
