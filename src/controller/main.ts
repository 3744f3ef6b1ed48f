/** One replica as a process: connects, serves health and metrics, runs until it is asked to stop. */
import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { mkdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { wallClock } from '../session/connect/wall-clock.js';
import type { Target } from '../session/index.js';
import { connectFleet, type FleetOptions } from './admin/connect-fleet.js';
import { startController } from './controller.js';
import type { ControllerContext } from './controller-context.js';
import { fleetId } from './fleet-id.js';
import { LeaseBook } from './lease/lease-book.js';
import { type FleetPage, fleetPage } from './page/fleet-page.js';
import { healthReply, serveText } from './serve/http-server.js';
import { jsonLog } from './serve/log.js';
import { Metrics } from './serve/metrics.js';
import { LookGate } from './sites/look-gate.js';
import { SiteBook } from './sites/site-book.js';

export interface ReplicaOptions extends FleetOptions {
  /** The controller's own; else that of the pod or of the kubeconfig's context. */
  readonly namespace?: string;
  readonly namespaces: readonly string[];
  readonly identity?: string;
  readonly workFolder: string;
  readonly target: Target;
  readonly leaseMs: number;
  readonly healthPort: number;
  readonly metricsPort: number;
  readonly host: string;
  readonly write: (line: string) => void;
  readonly signal: AbortSignal;
  /** Serves the fleet as a page, where one is wanted. */
  readonly page?: (fleet: FleetPage) => Promise<{ readonly port: number; close(): Promise<void> }>;
}

export async function runReplica(options: ReplicaOptions): Promise<void> {
  // A look leaves much garbage and keeps little: it is collected long before the process has grown to twice its size.
  setFlagsFromString('--heap-growing-percent=20');
  const { client, access } = connectFleet(options, wallClock);
  const log = jsonLog(options.write, () => wallClock.now());
  const metrics = new Metrics();
  // A pod that is restarted is another replica: leases of the earlier process are not its own.
  const identity = options.identity ?? `${hostname().toLowerCase()}-${randomBytes(3).toString('hex')}`;
  const namespace = options.namespace ?? access.namespace;
  const onLost = (lease: string) => {
    metrics.add('oxherd_lease_lost_total');
    log.error('lease lost', { lease });
  };
  // Everything that waits for something listens to it.
  setMaxListeners(0, options.signal);
  mkdirSync(options.workFolder, { recursive: true, mode: 0o700 });
  const context: ControllerContext = {
    client,
    time: wallClock,
    identity,
    fleet: await fleetId(client, namespace),
    namespace,
    namespaces: options.namespaces,
    workFolder: options.workFolder,
    authority: access.credentials.ca.trim(),
    targetFor: () => options.target,
    sites: new SiteBook(wallClock, options.signal, (site) =>
      metrics.add('oxherd_site_requests_total', { site }),
    ),
    looks: new LookGate(),
    leases: new LeaseBook({ client, time: wallClock, identity, durationMs: options.leaseMs, onLost }),
    log,
    metrics,
    signal: options.signal,
  };
  const controller = startController(context);
  const servers = await Promise.all([
    serveText(
      { host: options.host, port: options.healthPort },
      { '/livez': () => healthReply(controller.alive()), '/readyz': () => healthReply(controller.ready()) },
    ),
    serveText(
      { host: options.host, port: options.metricsPort },
      { '/metrics': () => ({ status: 200, type: 'text/plain; version=0.0.4', body: metrics.text() }) },
    ),
  ]);
  const page = await options.page?.(fleetPage(context));
  if (page) servers.push(page);
  log.info('started', {
    identity,
    namespace,
    namespaces: options.namespaces,
    ports: servers.map(({ port }) => port),
  });
  try {
    await controller.ended;
  } finally {
    for (const server of servers) await server.close();
    await client.close();
    log.info('stopped', { identity });
  }
}
