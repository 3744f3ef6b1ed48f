/**
 * Room `dashboard`: the page that shows clusters, and the server behind it.
 * May touch: loopback, the session, the config file where it was told `--write`.
 *
 * One HTTP server on 127.0.0.1. Every request passes the guard first; what it may do then is a table of routes.
 */
import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { OxherdError } from '../../model/error.js';
import type { FleetView } from '../api.js';
import { type Asset, errorView, jsonText, readJson, sendAsset, sendJson } from './answer.js';
import { Clusters, type Sources } from './clusters.js';
import { cookieName, HEADER_TOKEN, isSame, refusal, type Tokens } from './guard.js';
import { readCluster } from './reading.js';
import { EVERYTHING, type Reviewer, type Viewer } from './reviewer.js';
import { findRoute, type RouteContext } from './routes.js';
import { Stream } from './stream.js';
import { WatchedCluster } from './watched-cluster.js';

export interface DashboardOptions {
  readonly sources: Sources;
  readonly assets: ReadonlyMap<string, Asset>;
  readonly version: string;
  /** Whether a run may be started and the config written from the page. */
  readonly write: boolean;
  /** 0: any that is free. */
  readonly port: number;
  /** How often a cluster is read while someone looks. */
  readonly refreshMs?: number;
  /** How often journals are read. */
  readonly followMs?: number;
  /** How a cluster is read; else by a session that only reads. */
  readonly read?: typeof readCluster;
  /** Texts that must not be in any answer, such as API tokens; there may be more of them later. */
  readonly secrets?: Iterable<string>;
  /** Where it listens; else on loopback. */
  readonly listen?: string;
  /** Names that it answers to besides those of loopback, as a proxy passes them on. */
  readonly names?: readonly string[];
  /** Where tokens of a Kubernetes API let in, and say who sees what. */
  readonly reviewer?: Reviewer;
}

export interface Dashboard {
  readonly port: number;
  /** With the token that lets a browser in. */
  readonly url: string;
  /** Ends once runs of the page have come to a safe end; `reason` is what stops them. */
  close(reason?: unknown): Promise<void>;
}

const REFRESH_MS = 10_000;
const FOLLOW_MS = 250;
const MOST_CONNECTIONS = 64;

export async function serveDashboard(options: DashboardOptions): Promise<Dashboard> {
  const { refreshMs = REFRESH_MS, followMs = FOLLOW_MS, secrets = [], read = readCluster } = options;
  const token = () => randomBytes(32).toString('base64url');
  const tokens: Tokens = { link: token(), cookie: token(), header: token() };
  const stream = new Stream(secrets, (count) => {
    if (count === 1) readAll();
  });
  const clusters = new Clusters(
    options.sources,
    (id, source) =>
      new WatchedCluster(
        id,
        source,
        (event, change) => stream.send(event, change),
        (part) => jsonText(part, secrets),
        read,
      ),
  );
  // Clusters of a fleet are read when someone asks for one of them: there may be hundreds.
  const readAll = (): void => {
    if (!clusters.onDemand) for (const cluster of clusters.all) void cluster.refresh();
  };
  const reading = setInterval(() => stream.readers > 0 && readAll(), refreshMs);
  const following = setInterval(() => {
    for (const cluster of clusters.all)
      if (cluster.follow() && (!clusters.onDemand || cluster.reading)) void cluster.readAgain();
  }, followMs);
  const fleet = async (viewer: Viewer): Promise<FleetView> => {
    await clusters.update();
    const seen = await Promise.all(clusters.all.map(({ id }) => viewer.mayRead(id)));
    return {
      version: options.version,
      write: options.write,
      fleet: clusters.onDemand,
      clusters: clusters.all.filter((_, at) => seen[at]).map((cluster) => cluster.summary()),
    };
  };
  const context: RouteContext = { clusters, fleet, stream, write: options.write };
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 });
  server.maxConnections = MOST_CONNECTIONS;
  server.on('request', (request, response) => {
    const { port } = addressOf(server);
    const { assets, names, reviewer } = options;
    const served = { context, port, secrets, assets, names, reviewer, tokens };
    answer(request, response, served).catch((error) => {
      if (!response.headersSent) sendJson(request, response, 500, { error: errorView(error) }, secrets);
      else response.destroy();
    });
  });
  const close = async (reason?: unknown): Promise<void> => {
    clearInterval(reading);
    clearInterval(following);
    await clusters.close(reason);
    stream.close();
    server.closeAllConnections();
    await new Promise<void>((done) => server.close(() => done()));
  };
  try {
    await listen(server, options.port, options.listen ?? '127.0.0.1');
  } catch (error) {
    // Or the process would go on with nothing to serve.
    await close();
    throw error;
  }
  readAll();
  const { port } = addressOf(server);
  return {
    port,
    url: `http://127.0.0.1:${port}/${options.reviewer ? '' : `#token=${tokens.link}`}`,
    close,
  };
}

interface Served {
  readonly context: RouteContext;
  readonly port: number;
  readonly tokens: Tokens;
  readonly secrets: Iterable<string>;
  readonly names: readonly string[] | undefined;
  readonly reviewer: Reviewer | undefined;
  readonly assets: ReadonlyMap<string, Asset>;
}

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  const { port, tokens, secrets, assets, context, reviewer } = served;
  const { method = '', headers } = request;
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
  const isApi = pathname.startsWith('/api/');
  const isExchange = pathname === '/api/session';
  const kind = isExchange ? 'exchange' : isApi ? 'api' : 'page';
  const refused = refusal({ method, headers, kind }, port, reviewer ? undefined : tokens, served.names);
  const say = (status: number, body: unknown, more = {}) =>
    sendJson(request, response, status, body, secrets, more);
  if (refused) {
    const { status, ...error } = refused;
    return say(status, { error });
  }
  if (!isApi) {
    const asset = assets.get(pathname);
    if (method !== 'GET' && method !== 'HEAD') return say(405, notAllowed(method));
    return asset ? sendAsset(request, response, asset) : say(404, notFound(pathname));
  }
  if (isExchange && !reviewer) return exchange(request, say, port, tokens);
  const given = String(headers[HEADER_TOKEN] ?? '');
  const viewer = reviewer ? await reviewer.viewerOf(given) : EVERYTHING;
  if (!viewer) return say(401, { error: signIn(reviewer?.command ?? '') });
  if (method === 'GET' && pathname === '/api/events')
    return context.stream.add(response, reviewer && ((id) => mayStillHear(reviewer, given, id)));
  const route = findRoute(method, pathname);
  if (route === 'method') return say(405, notAllowed(method));
  if (!route) return say(404, notFound(pathname));
  if (route.cluster !== undefined) {
    await context.clusters.update();
    // One that may not be seen is one that is not there.
    if (!context.clusters.find(route.cluster) || !(await viewer.mayRead(route.cluster)))
      return say(404, {
        error: { code: 'ui.unknown', message: `there is no cluster ${route.cluster} here` },
      });
  }
  if ((route.write && !context.write) || ((route.write || route.local) && reviewer))
    return say(403, { error: readOnly(route.command(context)) });
  try {
    const body = method === 'POST' ? await readJson(request) : undefined;
    return say(200, await route.run(context, { viewer, body, query: searchParams }));
  } catch (error) {
    return say(statusOf(error), { error: errorView(error) });
  }
}

/** The token of the link for a cookie and a header's token. */
async function exchange(
  request: IncomingMessage,
  say: (status: number, body: unknown, more?: Record<string, string>) => void,
  port: number,
  tokens: Tokens,
): Promise<void> {
  if (request.method !== 'POST') return say(405, notAllowed(request.method ?? ''));
  const body: unknown = await readJson(request).catch(() => undefined);
  const given = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
  if (typeof given !== 'string' || !isSame(given, tokens.link)) {
    const error = { code: 'ui.token', message: 'the token of this address is not the one of this server' };
    return say(401, { error: { ...error, advice: 'open the address that `oxherd ui` printed last' } });
  }
  say(
    200,
    { token: tokens.header },
    {
      'set-cookie': `${cookieName(port)}=${tokens.cookie}; Path=/; HttpOnly; SameSite=Strict`,
    },
  );
}

/** A token that was revoked meanwhile hears nothing more. */
async function mayStillHear(reviewer: Reviewer, token: string, cluster: string): Promise<boolean> {
  const viewer = await reviewer.viewerOf(token);
  if (!viewer) throw new OxherdError('ui.sign-in', 'the token is no longer valid');
  return viewer.mayRead(cluster);
}

function signIn(command: string) {
  return {
    code: 'ui.sign-in',
    message: 'this page needs a token of the Kubernetes API',
    advice: command,
  };
}

function statusOf(error: unknown): number {
  if (!(error instanceof OxherdError)) return 500;
  if (error.code === 'ui.unknown') return 404;
  return error.code.startsWith('ui.') ? (error.code === 'ui.reading' ? 503 : 409) : 502;
}

function readOnly(command: string) {
  return {
    code: 'ui.read-only',
    message: 'this page only reads',
    advice: `start it with \`oxherd ui --write\`, or run \`${command}\``,
  };
}

function notFound(path: string) {
  return { error: { code: 'ui.unknown', message: `there is nothing at ${path}` } };
}

function notAllowed(method: string) {
  return { error: { code: 'ui.method', message: `${method} is not answered here` } };
}

function addressOf(server: Server): { port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the dashboard has no port');
  return address;
}

function listen(server: Server, port: number, address: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = cause.code === 'EADDRINUSE' ? `port ${port} is in use` : cause.message;
      fail(new OxherdError('ui.port', message, { advice: 'choose another one with --port', cause }));
    });
    server.listen(port, address, done);
  });
}
