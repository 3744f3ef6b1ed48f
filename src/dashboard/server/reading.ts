/** One look at one cluster: its config, how it is, who works on it, and what a plan would do. Reads only. */
import type { Config } from '../../config/config.js';
import { OxherdError } from '../../model/error.js';
import {
  type LoadedConfig,
  openSession,
  readConfigFile,
  type Session,
  type SessionOptions,
  type Target,
} from '../../session/index.js';
import type { ClusterStatus, PreparedPlan } from '../../session/plan/index.js';
import type { ClusterSummary, ErrorView } from '../api.js';
import { errorView } from './answer.js';

/** Where a cluster is found, as the command line named it. */
export interface ClusterSource {
  readonly cwd: string;
  readonly env: NonNullable<SessionOptions['env']>;
  readonly target: Target;
  readonly configPath: string;
  /** `oxherd apply` with the flags that make it this cluster's. */
  readonly command: (text: string) => string;
  /** Of a cluster that a fleet controller keeps: no page writes to it. */
  readonly fleet?: FleetCluster;
}

interface FleetCluster {
  readonly id: string;
  readonly name: string;
  readonly reported: NonNullable<ClusterSummary['reported']>;
  readonly needs: readonly { readonly what: string; readonly level: 'failed' | 'note' }[];
  open(signal: AbortSignal): Promise<Session>;
}

export interface Reading {
  readonly at: number;
  readonly config: Config;
  readonly status: ClusterStatus;
  /** Who holds the cluster's lock, and the run it belongs to. */
  readonly lock?: { readonly whose: string; readonly runId: string };
  readonly prepared?: PreparedPlan;
  /** Why there is no plan. */
  readonly planError?: ErrorView;
}

interface SessionKind {
  readonly write: boolean;
  readonly signal?: AbortSignal;
  /** Another config than the one on disk. */
  readonly loaded?: LoadedConfig;
}

/** A session of its own for each piece of work: the config, and the secrets beside it, may have changed meanwhile. */
export async function withSession<T>(
  source: ClusterSource,
  options: SessionKind,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = source.fleet
    ? await source.fleet.open(options.signal ?? new AbortController().signal)
    : await openOwn(source, options);
  try {
    return await work(session);
  } finally {
    await session.close();
  }
}

function openOwn({ cwd, env, target, configPath }: ClusterSource, options: SessionKind): Promise<Session> {
  const { signal, loaded = readConfigFile(configPath, cwd) } = options;
  return openSession(loaded, target, {
    cwd,
    env,
    configPath,
    readOnly: !options.write,
    ...(signal && { signal }),
  });
}

/** While a run is under way there is nothing to plan: it would only see what is half done. */
export function readCluster(source: ClusterSource, signal: AbortSignal): Promise<Reading> {
  return withSession(source, { write: false, signal }, async (session) => {
    const status = await session.status();
    const held = await session.lock().catch(() => undefined);
    const lock = held && { whose: held.whose, runId: held.holder.runId };
    const planned = lock ? {} : await attemptPlan(session);
    return { at: Date.now(), config: session.config, status, ...(lock && { lock }), ...planned };
  });
}

async function attemptPlan(session: Session): Promise<Pick<Reading, 'prepared' | 'planError'>> {
  try {
    return { prepared: await session.plan() };
  } catch (error) {
    if (!(error instanceof OxherdError)) throw error;
    return { planError: errorView(error) };
  }
}
