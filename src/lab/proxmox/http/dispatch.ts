/** One request from its headers to its answer, in the order in which Proxmox VE looks at it. */
import type { IncomingHttpHeaders } from 'node:http';
import { authenticate, type Sender, type Unauthorized } from '../access/authenticate.js';
import { checkMethod } from '../access/check-method.js';
import { createPrincipal } from '../access/control.js';
import { denied } from '../access/denied.js';
import { Rights } from '../access/rights.js';
import type { TicketOffice } from '../access/tickets.js';
import { type Handlers, type Pve, PveError } from '../api.js';
import { hostIsUp } from '../quorum.js';
import type { Fields } from '../validation/check.js';
import { readParameters } from '../validation/parameters.js';
import { type Answer, dataAnswer, emptyAnswer, errorAnswer, plainAnswer } from './answer.js';
import { createCall } from './call.js';
import { BadBody, requestFields } from './request-parameters.js';
import { findRoute, type Route } from './router.js';

export interface PveRequest {
  /** The host that was asked. */
  readonly host: string;
  readonly method: string;
  /** Percent-decoded, below `/api2/json`. */
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Site {
  readonly pve: Pve;
  readonly tickets: TicketOffice;
  readonly handlers: Handlers;
  /** Told of errors that are the lab's own fault. */
  onBug(error: unknown, request: PveRequest): void;
}

/** Proxmox makes whoever fails to log in wait. */
const UNAUTHORIZED_DELAY = 3_000;

/** Lists that are asked of the host which they are to be compared with. */
const CHECKS_NODE = /^\/cluster\/mapping\/\w+$/;

export function identify(site: Site, request: PveRequest): Sender {
  const { db, core } = site.pve;
  return authenticate({ db, tickets: site.tickets, now: () => core.clock.now() }, request);
}

export async function unauthorized(site: Site, error: Unauthorized): Promise<Answer> {
  await site.pve.core.clock.sleep(UNAUTHORIZED_DELAY);
  return emptyAnswer(401, error.message);
}

export async function dispatch(
  site: Site,
  request: PveRequest,
  sender: Sender,
  body: string | Fields,
): Promise<Answer> {
  try {
    return await answer(site, request, sender, body);
  } catch (error) {
    if (error instanceof BadBody) return plainAnswer(500, error.message);
    if (error instanceof PveError) {
      if (error.status === 401) await site.pve.core.clock.sleep(UNAUTHORIZED_DELAY);
      return errorAnswer(error);
    }
    site.onBug(error, request);
    return errorAnswer(new PveError(500, error instanceof Error ? error.message : String(error)));
  }
}

async function answer(
  site: Site,
  request: PveRequest,
  sender: Sender,
  body: string | Fields,
): Promise<Answer> {
  const pve: Pve = { ...site.pve, at: request.host };
  const contentType = request.headers['content-type'];
  const fields = typeof body === 'string' ? requestFields({ ...request, contentType, body }) : body;
  const route = findRoute(request.method, request.path);
  const missing = new PveError(501, `Method '${request.method} ${request.path}' not implemented`);
  if (!route) throw missing;
  mergeVariables(fields, route);
  if (sender.byToken && !route.method.token) {
    throw denied(`URI '${request.path}' not available with API token, need proper ticket.\n`);
  }

  const rights = new Rights(pve.db);
  checkMethod(route.method.permissions, { db: pve.db, rights, id: sender.id, parameters: asText(fields) });
  const place = route.method.onNode ? 'node' : CHECKS_NODE.test(route.method.path) ? 'check-node' : '';
  const gone = fields[place] ? reachNode(pve, request.host, fields, place) : undefined;
  if (gone) return gone;
  struckByFault(pve, request, fields);

  const parameters = readParameters(route.method, fields, (name) => pve.db.cpuModels.has(name));
  const handler = site.handlers[`${route.method.method} ${route.method.path}`];
  if (!handler) throw missing;
  const who = createPrincipal(sender.id, rights);
  const { call, beside } = createCall(pve, who, request.host, parameters);
  const data = await handler(call);
  return dataAnswer(data, beside());
}

/** Variables of the path are parameters like others; sending them again is fine if they agree. */
function mergeVariables(fields: Fields, route: Route): void {
  for (const [name, value] of Object.entries(route.variables).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sent = fields[name];
    if (sent !== undefined && (typeof sent === 'object' || String(sent) !== value)) {
      throw PveError.parameter({
        [name]: 'duplicate parameter (already defined in URI) with conflicting values!',
      });
    }
    fields[name] = value;
  }
}

function asText(fields: Fields): Record<string, string> {
  const text: Record<string, string> = Object.create(null);
  for (const [key, value] of Object.entries(fields)) {
    if (value !== null) text[key] = typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
  return text;
}

/** The answer of a host that cannot be asked. `localhost` is the host whose API this is. */
function reachNode(pve: Pve, host: string, fields: Fields, place: string): Answer | undefined {
  const node = String(fields[place]);
  if (node === 'localhost' && place === 'node') fields.node = host;
  if (node === 'localhost' || node === host) return undefined;
  if (!pve.db.hosts.has(node)) {
    // Names of hosts are found whatever their capitals, and then no certificate is known for them.
    if (pve.db.hosts.has(node.toLowerCase())) {
      return emptyAnswer(596, 'error:0A000086:SSL routines::certificate verify failed');
    }
    throw new PveError(
      500,
      `hostname lookup '${node}' failed - failed to get address info for: ${node}: Name or service not known`,
    );
  }
  // What AnyEvent says when the host behind cannot be connected to.
  return hostIsUp(pve, node) ? undefined : emptyAnswer(595, 'Connection refused');
}

function struckByFault(pve: Pve, request: PveRequest, fields: Fields): void {
  const { faults } = pve.core;
  const { vmid } = fields;
  const subjects = [`${request.method} ${request.path}`, String(fields.node ?? ''), String(vmid ?? '')];
  if (faults.strikes('user-race', ...subjects)) throw new PveError(500, 'user name not set');
  if (faults.strikes('api-error', ...subjects)) throw new PveError(500, "lab fault 'api-error'");
  const locks = request.method !== 'GET' && vmid !== undefined && vmid !== null;
  if (locks && faults.strikes('lock-timeout', ...subjects)) {
    throw new PveError(
      500,
      `can't lock file '/var/lock/qemu-server/lock-${String(vmid)}.conf' - got timeout`,
    );
  }
}
