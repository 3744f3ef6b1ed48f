/** Everything that can be asked of the server, and which of it writes. */

import { z } from 'zod';
import { issueText } from '../../formats/text/issue-text.js';
import { OxherdError } from '../../model/error.js';
import { confirmationOf } from '../../session/confirm/confirmation.js';
import type { FleetView, HistoryView, RunView } from '../api.js';
import { applyPlan, stopRun } from './actions/apply-plan.js';
import { rehearsalOf, startRehearsal } from './actions/rehearse-plan.js';
import { editSchema, whatIf, writeConfig } from './actions/what-if.js';
import { errorView } from './answer.js';
import type { Clusters } from './clusters.js';
import type { Viewer } from './reviewer.js';
import type { Stream } from './stream.js';
import { capacityView } from './views/capacity-view.js';
import { planView } from './views/plan-view.js';
import { upgradeView } from './views/upgrade-view.js';
import { volumesView } from './views/volumes-view.js';
import type { WatchedCluster } from './watched-cluster.js';

export interface RouteContext {
  readonly clusters: Clusters;
  readonly fleet: (viewer: Viewer) => Promise<FleetView>;
  readonly stream: Stream;
  readonly write: boolean;
}

interface Asked {
  readonly viewer: Viewer;
  readonly body: unknown;
  readonly query: URLSearchParams;
}

interface FoundRoute {
  readonly write: boolean;
  /** Not for a fleet: it costs more than a look. */
  readonly local: boolean;
  /** The cluster that is asked about. */
  readonly cluster?: string;
  /** What does the same in a terminal. */
  readonly command: (context: RouteContext) => string;
  run(context: RouteContext, asked: Asked): unknown;
}

interface Route {
  readonly method: 'GET' | 'POST';
  /** Below `/api/clusters/ID`. */
  readonly path: string;
  readonly write?: boolean;
  readonly local?: boolean;
  readonly command?: string;
  run(cluster: WatchedCluster, asked: Asked & { readonly name: string; readonly stream: Stream }): unknown;
}

const planIdSchema = z.object({ planId: z.string().max(100) });
const applySchema = z.object({
  planId: z.string().max(100),
  answer: z
    .object({
      planId: z.string().max(100),
      confirmed: z.array(z.string().max(10_000)).max(10),
      name: z.string().max(200).exactOptional(),
    })
    .exactOptional(),
});
const runIdSchema = z.object({ runId: z.string().max(100) });

/** `NAME` in a path is anything without a slash. */
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '', run: (cluster) => cluster.view() },
  {
    method: 'POST',
    path: '/refresh',
    run: async (cluster) => {
      await cluster.readAgain();
      return cluster.summary();
    },
  },
  { method: 'GET', path: '/plan', run: (cluster) => planOf(cluster) },
  {
    method: 'GET',
    path: '/health',
    run: (cluster) => ({
      conditions: readingOf(cluster).status.conditions,
      command: cluster.source.command('oxherd status --all'),
    }),
  },
  {
    method: 'GET',
    path: '/volumes',
    run: (cluster) => volumesView(readingOf(cluster), cluster.source.command),
  },
  { method: 'GET', path: '/runs', run: (cluster) => historyOf(cluster) },
  { method: 'GET', path: '/runs/NAME', run: (cluster, { name }) => runOf(cluster, name) },
  {
    method: 'GET',
    path: '/upgrade',
    run: (cluster, { query }) => upgradeView(readingOf(cluster), query, cluster.source.command),
  },
  { method: 'GET', path: '/capacity', run: (cluster) => capacityView(readingOf(cluster), cluster.source) },
  {
    method: 'POST',
    path: '/what-if',
    local: true,
    command: 'oxherd capacity',
    run: (cluster, { body }) => whatIf(cluster, parsed(editSchema, body)),
  },
  { method: 'GET', path: '/rehearsal', run: (cluster) => rehearsalOf(cluster) },
  {
    method: 'POST',
    path: '/rehearse',
    local: true,
    command: 'oxherd rehearse',
    run: (cluster, { body, stream }) => startRehearsal(cluster, parsed(planIdSchema, body).planId, stream),
  },
  {
    method: 'POST',
    path: '/apply',
    write: true,
    command: 'oxherd apply',
    run: (cluster, { body }) => applyPlan(cluster, parsed(applySchema, body)),
  },
  {
    method: 'POST',
    path: '/stop',
    write: true,
    command: 'oxherd unlock',
    run: (cluster, { body }) => stopRun(cluster, parsed(runIdSchema, body).runId),
  },
  {
    method: 'POST',
    path: '/config',
    write: true,
    command: 'oxherd apply',
    run: (cluster, { body }) => writeConfig(cluster, parsed(editSchema, body)),
  },
];

/** `method`: there is something at this path, but not for this method. */
export function findRoute(method: string, path: string): FoundRoute | 'method' | undefined {
  if (path === '/api/fleet') {
    if (method !== 'GET') return 'method';
    return {
      write: false,
      local: false,
      command: () => 'oxherd status',
      run: ({ fleet }, { viewer }) => fleet(viewer),
    };
  }
  const [, id = '', rest = ''] = /^\/api\/clusters\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  const matching = ROUTES.flatMap((route) => {
    const [whole, name = ''] = new RegExp(`^${route.path.replace('NAME', '([^/]+)')}$`).exec(rest) ?? [];
    return whole === undefined ? [] : [{ route, name }];
  });
  if (id === '' || matching.length === 0) return undefined;
  const found = matching.find(({ route }) => route.method === method);
  if (!found) return 'method';
  const { route, name } = found;
  return {
    write: route.write === true,
    local: route.local === true,
    cluster: decodeURIComponent(id),
    command: (context) =>
      clusterOf(context, decodeURIComponent(id)).source.command(route.command ?? 'oxherd status'),
    run: (context, asked) =>
      route.run(clusterOf(context, decodeURIComponent(id)), {
        ...asked,
        name: decodeURIComponent(name),
        stream: context.stream,
      }),
  };
}

/** Every route that a fleet refuses, for a test that tries them all. */
export const LOCAL_PATHS: readonly string[] = ROUTES.flatMap(({ local, path }) => (local ? [path] : []));

/** Every route that writes, for a test that tries them all. */
export const WRITING_PATHS: readonly string[] = ROUTES.flatMap(({ write, path }) => (write ? [path] : []));

function clusterOf({ clusters }: RouteContext, id: string): WatchedCluster {
  const cluster = clusters.find(id);
  if (cluster) return cluster;
  throw new OxherdError('ui.unknown', `there is no cluster ${id} here`);
}

function readingOf(cluster: WatchedCluster) {
  if (!cluster.reading) cluster.view();
  const { reading } = cluster;
  if (reading) return reading;
  throw new OxherdError('ui.reading', `${cluster.name} is being read`);
}

function planOf(cluster: WatchedCluster) {
  const { prepared, planError, lock, config } = readingOf(cluster);
  if (prepared) return planView(prepared.plan, cluster.source.command, confirmationOf(prepared, config));
  if (planError) throw new OxherdError('ui.no-plan', planError.message, { advice: planError.advice ?? '' });
  throw new OxherdError('ui.no-plan', 'no plan is made while a run is under way', {
    advice: `it is held by ${lock?.whose ?? 'a run'}; see the page Run`,
  });
}

function historyOf(cluster: WatchedCluster): HistoryView {
  const runs = cluster.journals?.summaries() ?? [];
  return {
    problems: (cluster.journals?.problems ?? []).map(errorView),
    runs: runs.map((run) => ({
      ...run,
      active: cluster.isActive(run.runId),
      ...predictionOf(cluster, run.runId),
    })),
    command: cluster.source.command('oxherd runs list'),
  };
}

function predictionOf(cluster: WatchedCluster, runId: string): { readonly predictedMs?: number } {
  const predictedMs = cluster.predictions.get(runId);
  return predictedMs === undefined ? {} : { predictedMs };
}

/** `last`: the newest. */
function runOf(cluster: WatchedCluster, name: string): RunView {
  cluster.follow();
  const summary = cluster.journals
    ?.summaries()
    .find((run, index) => (name === 'last' ? index === 0 : run.runId === name));
  const journal = summary && cluster.journals?.find(summary.runId);
  const [problem] = cluster.journals?.problems ?? [];
  // It may be in the journal that cannot be read.
  if ((!summary || !journal) && problem)
    throw new OxherdError('ui.journal', problem.message, { advice: problem.advice ?? '' });
  if (!summary || !journal)
    throw new OxherdError(
      'ui.unknown',
      name === 'last' ? 'there are no runs yet' : `there is no run ${name}`,
    );
  const { command } = cluster.source;
  const { config } = cluster.reading ?? {};
  return {
    summary,
    events: journal.events,
    active: cluster.isActive(summary.runId),
    own: cluster.ownRuns.has(summary.runId),
    ...predictionOf(cluster, summary.runId),
    controlPlanes: (config?.nodes ?? [])
      .filter(({ role }) => role === 'controlplane')
      .map((node) => node.name),
    commands: {
      show: command(`oxherd runs show ${summary.runId} --explain`),
      resume: command(summary.command),
      stop: command('oxherd unlock'),
    },
  };
}

function parsed<T>(schema: z.ZodType<T>, body: unknown): T {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new OxherdError(
    'ui.body',
    `the request is not understood: ${issue ? issueText(issue, 'its body') : 'not valid'}`,
  );
}
