/** What HA knows: resources and rules as configured, and what the manager makes of them. */
import type { Pve } from '../api.js';

export interface HaResource {
  readonly sid: string;
  readonly type: 'vm' | 'ct';
  /** Absent: started. */
  readonly state?: string;
  readonly max_restart?: number;
  readonly max_relocate?: number;
  readonly failback?: number;
  readonly comment?: string;
}

export interface HaRule {
  readonly rule: string;
  readonly type: 'node-affinity' | 'resource-affinity';
  readonly resources: readonly string[];
  /** Node → priority. */
  readonly nodes?: Readonly<Record<string, number>>;
  readonly affinity?: 'positive' | 'negative';
  readonly strict?: number;
  readonly disable?: number;
  readonly comment?: string;
}

type ServiceState =
  | 'request_start'
  | 'started'
  | 'request_stop'
  | 'stopped'
  | 'migrate'
  | 'relocate'
  | 'fence'
  | 'recovery'
  | 'freeze'
  | 'ignored'
  | 'error';

export interface HaService {
  readonly sid: string;
  readonly state: ServiceState;
  readonly node: string;
  readonly target?: string;
  /** A request that waits for its turn. */
  readonly command?: HaCommand;
  /** The task that carries out what the state says. */
  readonly task?: string;
  readonly running?: boolean;
  readonly restarts: number;
  /** Hosts on which it could not be started. */
  readonly failed: readonly string[];
}

export interface HaCommand {
  readonly command: 'migrate' | 'relocate' | 'stop';
  readonly sid: string;
  readonly node?: string;
}

export type NodeState = 'online' | 'maintenance' | 'unknown' | 'fence' | 'gone';

export interface HaManager {
  /** Absent: no one has taken over yet. */
  readonly master?: string;
  readonly timestamp?: number;
  readonly nodes: Readonly<Record<string, { readonly state: NodeState; readonly since: number }>>;
  readonly commands: readonly HaCommand[];
  /** The next time it looks, and when it was first asked to. */
  readonly wake?: { readonly event: string; readonly at: number; readonly first: number };
  readonly disarmed?: 'freeze' | 'ignore';
}

const IDLE: HaManager = { nodes: {}, commands: [] };

export function readManager({ db }: Pick<Pve, 'db'>): HaManager {
  return db.haManager.get('manager') ?? IDLE;
}

export function writeManager({ db }: Pick<Pve, 'db'>, change: Partial<HaManager>): void {
  db.haManager.put('manager', { ...readManager({ db }), ...change });
}

/** Nothing to look after: the manager stands by and forgets. */
export function resetManager({ db }: Pick<Pve, 'db'>): void {
  const { disarmed } = readManager({ db });
  db.haManager.put('manager', { ...IDLE, ...(disarmed ? { disarmed } : {}) });
}

/** What is asked of a resource, by the words that the manager uses. */
export function requestedState({ state }: Pick<HaResource, 'state'>): string {
  return state === undefined || state === 'enabled' ? 'started' : state;
}
