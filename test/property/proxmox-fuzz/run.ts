/** Sends random requests to a lab and looks after each whether it is still sound. */
import { startLab } from '../../../src/lab/index.js';
import { recordings } from '../../../src/lab/profiles/recordings.js';
import { Unauthorized } from '../../../src/lab/proxmox/access/authenticate.js';
import { TicketOffice } from '../../../src/lab/proxmox/access/tickets.js';
import type { PveDb } from '../../../src/lab/proxmox/db.js';
import { HANDLERS } from '../../../src/lab/proxmox/handlers.js';
import type { Answer } from '../../../src/lab/proxmox/http/answer.js';
import {
  dispatch,
  identify,
  type PveRequest,
  type Site,
  unauthorized,
} from '../../../src/lab/proxmox/http/dispatch.js';
import { decode } from '../../../src/lab/proxmox/http/request-parameters.js';
import { defaultBridge } from '../../../src/lab/world.js';
import { SeededRandom } from './random.js';
import { type FuzzRequest, nextRequest } from './requests.js';
import type { Seen } from './values.js';

export interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
  /** Called after each request, and at the end without one; throws where something is wrong. */
  readonly check: (db: PveDb, request?: FuzzRequest, answer?: Answer) => void;
}

export interface FuzzResult {
  readonly statuses: Readonly<Record<number, number>>;
  /** Tasks by how they ended. */
  readonly tasks: { readonly ok: number; readonly failed: number };
  readonly vms: number;
}

/** What a Proxmox API can answer at all. */
const STATUSES = new Set([200, 400, 401, 403, 500, 501, 506, 595, 596]);
/** A second factor that no user has; everything else that is missing is a 500. */
const MISSING = /^GET \/access\/tfa\/[^/]+\/[^/]+$/;
/** Words of a program that stumbled, not of one that refuses; Perl stumbles over the realm that is not there. */
const STUMBLED =
  /is not a function|Cannot read|Cannot destructure|is not iterable|(?<!cannot lookup |Can't use an )undefined|NaN|\[object|Invalid (array|string) length|call stack/;

const WORLD = {
  ...recordings,
  hosts: [...recordings.hosts, { name: 'pve2', cpus: 8, bridges: [defaultBridge(1)] }],
};

export async function fuzz({ seed, count, check }: FuzzOptions): Promise<FuzzResult> {
  const lab = await startLab({ world: WORLD });
  const random = new SeededRandom(seed);
  const seen: Seen = { upids: [], volumes: [], digests: [] };
  const { pve } = lab.proxmox;
  const tickets = new TicketOffice('fuzz', () => lab.clock.now());
  const bugs: unknown[] = [];
  const site: Site = { pve, tickets, handlers: HANDLERS, onBug: (error) => void bugs.push(error) };
  const headersOf = await identities(site, lab.token);
  const statuses: Record<number, number> = {};
  try {
    for (let number = 0; number < count; number += 1) {
      const request = nextRequest(random, seen);
      const answer = await send(site, request, headersOf(request.as));
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const told = `request ${number} of seed ${seed}: ${request.as} ${request.method} ${request.path} ${request.body ?? ''}`;
      if (bugs.length > 0) throw new Error(`the lab stumbled at ${told}`, { cause: bugs[0] });
      const missing =
        answer.status === 404 && MISSING.test(`${request.method} ${request.path.split('?')[0]}`);
      if (!missing && !STATUSES.has(answer.status)) throw new Error(`status ${answer.status} at ${told}`);
      if (answer.status >= 400 && STUMBLED.test(answer.body)) throw new Error(`${answer.body} at ${told}`);
      remember(answer, seen);
      // Tasks take their time: some requests meet them at work, some after their end.
      if (random.chance(0.3)) await lab.clock.sleep(random.below(4_000));
      attempt(() => check(pve.db, request, answer), told);
    }
    await lab.clock.sleep(600_000);
    attempt(() => check(pve.db), `the end of seed ${seed}`);
    const ended = [...pve.db.tasks.values()].filter((task) => task.exitstatus !== undefined);
    const failed = ended.filter(
      (task) => task.exitstatus !== 'OK' && !task.exitstatus?.startsWith('WARNINGS'),
    );
    const stumbled = failed.find((task) => STUMBLED.test(task.exitstatus ?? ''));
    if (stumbled) throw new Error(`task ${stumbled.upid} ended with: ${stumbled.exitstatus}`);
    return {
      statuses,
      tasks: { ok: ended.length - failed.length, failed: failed.length },
      vms: pve.db.vms.size,
    };
  } finally {
    await lab.stop();
  }
}

function attempt(work: () => void, when: string): void {
  try {
    work();
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)} after ${when}`, {
      cause: error,
    });
  }
}

async function identities(site: Site, rootToken: string) {
  const limited = await send(
    site,
    {
      method: 'POST',
      path: '/access/users',
      body: 'userid=limited@pve',
      contentType: 'application/x-www-form-urlencoded',
      as: 'root',
    },
    { authorization: `PVEAPIToken=${rootToken}` },
  );
  if (limited.status !== 200) throw new Error(`cannot make a user: ${limited.body}`);
  return (as: FuzzRequest['as']): PveRequest['headers'] => {
    switch (as) {
      case 'root':
        return { authorization: `PVEAPIToken=${rootToken}` };
      case 'ticket':
      case 'limited': {
        const user = as === 'ticket' ? 'root@pam' : 'limited@pve';
        const ticket = encodeURIComponent(site.tickets.ticket(user));
        return { cookie: `PVEAuthCookie=${ticket}`, csrfpreventiontoken: site.tickets.csrf(user) };
      }
      case 'nobody':
        return {};
    }
  };
}

/** As the listener does it, without a connection. */
async function send(site: Site, request: FuzzRequest, headers: PveRequest['headers']): Promise<Answer> {
  const [path = '', query = ''] = request.path.split('?');
  const asked: PveRequest = {
    host: 'pve1',
    method: request.method,
    path: decode(path.replaceAll('+', '%2B')),
    query,
    headers: { ...headers, ...(request.contentType && { 'content-type': request.contentType }) },
  };
  try {
    return await dispatch(site, asked, identify(site, asked), request.body ?? '');
  } catch (error) {
    if (error instanceof Unauthorized) return unauthorized(site, error);
    throw error;
  }
}

const KEPT = 40;

function remember(answer: Answer, seen: Seen): void {
  if (answer.status !== 200) return;
  keep(seen.upids, answer.body.match(/UPID:[^"]+:/g));
  keep(seen.volumes, answer.body.match(/\b(?:local|local-zfs|vmdata):[\w./-]+/g));
  keep(seen.digests, answer.body.match(/\b[0-9a-f]{40}\b/g));
}

function keep(list: string[], found: readonly string[] | null): void {
  if (!found) return;
  list.push(...found);
  list.splice(0, Math.max(0, list.length - KEPT));
}
