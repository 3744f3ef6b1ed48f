/**
 * Room `session`: connect, gather, plan, confirm, execute, journal: what front ends stand on.
 * May touch: everything, through the other rooms; no terminal.
 *
 * One config and one target, connected: what every front end stands on. A session reads, plans and carries out; it
 * shows nothing and asks nothing by itself: notices, questions and events go to whoever opened it.
 */
import { resolve } from 'node:path';
import type { Config } from '../config/config.js';
import type { KubeObject } from '../design/kubernetes/managed-object.js';
import type { SnapshotOwner } from '../formats/talos/snapshot-origin.js';
import type { Condition } from '../health/condition.js';
import type { Clock } from '../model/clock.js';
import { type HostState, hostStates } from '../plan/hosts/host-states.js';
import type { Plan } from '../plan/plan.js';
import { checkSavedPlan, parsePlan, type SavedRequest } from '../plan/saved-plan.js';
import { fromBase64Pem } from '../secrets/pem.js';
import { MAX_FILE_BYTES, readTextLimited } from '../secrets/read-file.js';
import { type LoadedConfig, openSite, type Site } from './connect/site.js';
import type { Fence, SecretsText, SessionContext, Target, Traffic } from './context.js';
import type { Check } from './doctor/check.js';
import type { ExamineOptions } from './doctor/doctor.js';
import type { ApplyOptions, ApplyResult } from './execute/apply-plan.js';
import type { HeldLock } from './execute/held-lock.js';
import { type Run, startRun } from './execute/run.js';
import type { Capacity } from './plan/capacity.js';
import type { ClusterStatus } from './plan/conditions.js';
import { type PlanRequest, type PreparedPlan, planFor } from './plan/plan-request.js';
import { type LookOptions, look, type Situation } from './plan/prepare-plan.js';
import { settledPlan } from './plan/settled-plan.js';
import type { Survey } from './plan/survey.js';
import type { Observation } from './rehearse/observation.js';
import type { TakenSnapshot } from './snapshots/etcd-snapshots.js';

/** What is designed and what is there. */
export type Gathered = Situation;

export interface Session {
  readonly config: Config;
  /** The folder that paths in the config start from. */
  readonly directory: string;
  readonly target: Target;
  /** The target's own: in a lab of this process time passes when someone waits. */
  readonly clock: Clock;
  /** Before the first apply there are none. */
  readonly hasSecrets: boolean;
  /** PEM of the authority that its Kubernetes API is known by. */
  readonly kubernetesAuthority: string | undefined;
  /** Reads Proxmox, and unless told otherwise the machines and the cluster. Writes nothing. */
  gather(options?: Partial<LookOptions>): Promise<Gathered>;
  /**
   * What would be done, and why. Writes nothing. With `settled` it first waits for tasks that an earlier run left behind
   * and for machines that are just booting, so that what follows is not planned around them.
   */
  plan(request?: PlanRequest, options?: { readonly settled?: boolean }): Promise<PreparedPlan>;
  /** What a saved plan was made for; `undefined`: for what the config says. */
  savedRequest(file: string): SavedRequest | undefined;
  /** Throws where a plan that was saved to a file would do something else than this one. */
  checkSaved(file: string, plan: Plan): void;
  /** Takes the cluster's lock, carries out the steps and keeps a journal. */
  apply(plan: PreparedPlan, options?: ApplyOptions): Run<ApplyResult>;
  /** How the cluster is, by everything that can be asked. */
  health(): Promise<readonly Condition[]>;
  /** The same, with a row per node. */
  status(): Promise<ClusterStatus>;
  /** What would be done for what the config says, and how the cluster is, by one look at everything. */
  survey(): Promise<Survey>;
  /** Everything that a twin of the cluster is made from, without the values of secrets. Writes nothing. */
  observation(options?: { readonly adopt?: boolean }): Promise<Observation>;
  /** What stands between this computer and a working apply. */
  examine(options?: ExamineOptions): Promise<Check[]>;
  /** How full the hosts are. */
  capacity(): Promise<Capacity>;
  /** The Proxmox hosts as maintenance sees them. */
  hosts(): Promise<HostState[]>;
  /** Returns once a host is up and has the storages that its nodes need; throws after that many seconds. */
  awaitHost(host: string, waitSeconds: number): Promise<void>;
  /** Runs `policy.host.before` or `after` where the config has it. */
  hook(which: 'before' | 'after', host: string): Promise<void>;
  /** Takes a snapshot of etcd through a healthy control plane and writes it to a file. */
  snapshot(path: string): Promise<TakenSnapshot>;
  /** The cluster as the owner of snapshots: what is noted beside those it takes. */
  snapshotOwner(): Promise<SnapshotOwner>;
  /** Who holds the cluster's lock; `undefined`: it is free. */
  lock(): Promise<HeldLock | undefined>;
  /** Secrets that exist in the cluster alone, such as the CSI driver's token. */
  clusterSecrets(): Promise<readonly KubeObject[]>;
  /** Ends the connections, and a lab of this process; its state is kept. */
  close(): Promise<void>;
}

export interface SessionOptions {
  /** Where `.oxherd` is; else the folder of the config. */
  readonly cwd?: string;
  /** Tokens and keys that the config names by variable; else those of this process. */
  readonly env?: SessionContext['env'];
  readonly signal?: AbortSignal;
  readonly tell?: SessionContext['tell'];
  /** As it was named, where that is not the folder itself. */
  readonly configPath?: string;
  /** Refuses every request that would change something, before it is sent. */
  readonly readOnly?: boolean;
  /** See `SessionContext`. */
  readonly secrets?: SecretsText;
  readonly clientFiles?: boolean;
  readonly recorded?: boolean;
  readonly fence?: Fence;
  readonly traffic?: Traffic;
}

/** What the Proxmox of a config runs, by one request; no session stays open. */
export async function readSite(loaded: LoadedConfig, target: Target, options: SessionOptions = {}) {
  const { readResources } = await import('./connect/read-resources.js');
  return readResources(contextOf(loaded, target, options), loaded);
}

/** Connects; nothing is asked of the target yet. Whoever opens a session closes it. */
export async function openSession(
  loaded: LoadedConfig,
  target: Target,
  options: SessionOptions = {},
): Promise<Session> {
  const context = contextOf(loaded, target, options);
  // Another one once secrets were made.
  let site: Site = await openSite(context, loaded);
  const status = async () => (await import('./plan/conditions.js')).clusterStatus(context, site);
  return {
    config: loaded.config,
    directory: loaded.directory,
    target,
    clock: site.clock,
    get hasSecrets() {
      return site.machines.secrets !== undefined;
    },
    get kubernetesAuthority() {
      const { secrets } = site.machines;
      return secrets && fromBase64Pem(secrets.certs.k8s.crt);
    },
    gather: (asked = {}) => look(site, { machines: true, ...asked }),
    plan: (request = { kind: 'converge' }, { settled = false } = {}) =>
      settled ? settledPlan(context, site, request) : planFor(site, request),
    savedRequest: (file) => readSaved(context, file).request,
    checkSaved(file, plan) {
      checkSavedPlan(readSaved(context, file), plan, file);
    },
    apply: (prepared, asked = {}) =>
      startRun(async (keep) => {
        const emit: typeof keep = (event) => {
          keep(event);
          asked.onEvent?.(event);
        };
        const { applyPlan } = await import('./execute/apply-plan.js');
        const { result, site: ready } = await applyPlan(context, site, prepared, { ...asked, emit });
        site = ready;
        return result;
      }),
    status,
    survey: async () => (await import('./plan/survey.js')).survey(context, site),
    health: async () => (await status()).conditions,
    observation: async (options = {}) => {
      const { takeObservation } = await import('./rehearse/take-observation.js');
      return takeObservation(site, options);
    },
    examine: async (options) => (await import('./doctor/doctor.js')).examineSite(site, options),
    capacity: async () => (await import('./plan/capacity.js')).liveCapacity(site),
    hosts: async () => {
      const { design, observed } = await look(site, { machines: false });
      return hostStates(design, observed);
    },
    awaitHost: async (host, waitSeconds) =>
      (await import('./plan/await-host.js')).awaitHost(context, site, host, waitSeconds),
    hook: async (which, host) => {
      const command = loaded.config.policy.host[which];
      if (command === undefined) return;
      const { runHook } = await import('./execute/run-hook.js');
      await runHook(context, { key: `policy.host.${which}`, command, env: { OXHERD_HOST: host } });
    },
    snapshot: async (path) => {
      const { takeSnapshot } = await import('./snapshots/etcd-snapshots.js');
      const { snapshotOwner } = await import('./snapshots/snapshot-origin.js');
      const controlPlanes = site.config.nodes.filter((node) => node.role === 'controlplane');
      const owner = () => snapshotOwner(site);
      return takeSnapshot({ talos: site.machines.talos, controlPlanes, owner }, path, site.clock.now());
    },
    snapshotOwner: async () => (await import('./snapshots/snapshot-origin.js')).snapshotOwner(site),
    lock: async () => (await import('./execute/held-lock.js')).heldLock(context, site),
    clusterSecrets: async () => (await import('./secrets/cluster-secrets.js')).clusterSecrets(site),
    close: () => site.close(),
  };
}

function readSaved({ cwd }: SessionContext, file: string) {
  return parsePlan(readTextLimited(resolve(cwd, file), MAX_FILE_BYTES), file);
}

function contextOf(loaded: LoadedConfig, target: Target, options: SessionOptions): SessionContext {
  const { cwd = loaded.directory, env = process.env, configPath = loaded.directory } = options;
  const { readOnly = false, tell = () => {}, secrets, clientFiles = true, fence, traffic } = options;
  // A controller runs many clusters, and keeps its files where they are not looked for.
  const { recorded = fence === undefined } = options;
  const given = options.signal ?? new AbortController().signal;
  return {
    cwd,
    env,
    configPath,
    target,
    signal: fence ? AbortSignal.any([given, fence.lost]) : given,
    tell,
    readOnly,
    clientFiles,
    recorded,
    ...(secrets && { secrets }),
    ...(fence && { fence }),
    ...(traffic && { traffic }),
  };
}
