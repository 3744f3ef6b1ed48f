/** Objects of the software-defined network: as they are configured, and as they run since the last `PUT /cluster/sdn`. */
import { type Call, type Pve, PveError } from '../api.js';
import { requireQuorum, withClusterLock } from '../quorum.js';
import { assertDigest, digestOfText, withoutEmpty } from '../section-config.js';

export type SdnKind =
  | 'zones'
  | 'vnets'
  | 'subnets'
  | 'controllers'
  | 'fabrics'
  | 'fabric-nodes'
  | 'dns'
  | 'ipams';
type SdnValue = string | number | readonly string[];
export type SdnConfig = Readonly<Record<string, SdnValue>>;

/** Without `config`: deleted, and still running. Without `running`: new. */
export interface SdnObject {
  readonly kind: SdnKind;
  readonly id: string;
  readonly config?: SdnConfig;
  readonly running?: SdnConfig;
}

/** Kinds that wait for an apply; the others are what they are at once. */
const APPLIED: readonly SdnKind[] = ['zones', 'vnets', 'subnets', 'controllers', 'fabrics', 'fabric-nodes'];

type Db = Pick<Pve, 'db'>;
const keyOf = (kind: SdnKind, id: string) => `${kind}/${id}`;

function objects({ db }: Db, kind: SdnKind): SdnObject[] {
  return [...db.sdn.values()].filter((object) => object.kind === kind).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** `[id, config]` of everything that is configured. */
export function configured(pve: Db, kind: SdnKind): [string, SdnConfig][] {
  return objects(pve, kind).flatMap(({ id, config }) => (config ? [[id, config]] : []));
}

export function running(pve: Db, kind: SdnKind): [string, SdnConfig][] {
  return objects(pve, kind).flatMap((object) => (object.running ? [[object.id, object.running]] : []));
}

export function configOf(pve: Db, kind: SdnKind, id: string): SdnConfig | undefined {
  return pve.db.sdn.get(keyOf(kind, id))?.config;
}

export function putConfig({ db }: Db, kind: SdnKind, id: string, config: SdnConfig): void {
  db.sdn.put(keyOf(kind, id), { ...db.sdn.get(keyOf(kind, id)), kind, id, config: withoutEmpty(config) });
}

export function removeConfig({ db }: Db, kind: SdnKind, id: string): void {
  const object = db.sdn.get(keyOf(kind, id));
  if (object?.running) db.sdn.put(keyOf(kind, id), { kind, id, running: object.running });
  else db.sdn.delete(keyOf(kind, id));
}

export function digestOf(pve: Db, kind: SdnKind): string {
  return digestOfText(configured(pve, kind));
}

/** Only the configuration itself has one. */
export function seenDigest(call: Call, kind: SdnKind): string | null {
  return call.flag('pending') || call.flag('running') ? null : digestOf(call.pve, kind);
}

/** What a request sees: the configuration, what runs, or the one beside the other (`pending_config`). */
export function seen(call: Call, kind: SdnKind): [string, Record<string, unknown>][] {
  if (call.flag('pending')) return objects(call.pve, kind).map((object) => [object.id, pendingOf(object)]);
  return call.flag('running') ? running(call.pve, kind) : configured(call.pve, kind);
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function pendingOf({ config, running: runs }: SdnObject): Record<string, unknown> {
  if (!config) return { ...runs, state: 'deleted', pending: {} };
  const pending: Record<string, unknown> = {};
  const named: Record<string, unknown> = {};
  let changed = runs === undefined;
  for (const [key, value] of Object.entries(config)) {
    if (same(runs?.[key], value)) continue;
    changed = true;
    if (key === 'type' || key === 'vnet') named[key] = value;
    else pending[key] = value;
  }
  for (const key of Object.keys(runs ?? {})) {
    if (config[key] !== undefined) continue;
    pending[key] = 'deleted';
    changed = true;
  }
  const state = { state: runs ? 'changed' : 'new', pending };
  return { ...runs, ...named, ...(changed ? state : {}) };
}

export function hasPendingChanges(pve: Db): boolean {
  return APPLIED.some((kind) => objects(pve, kind).some((object) => 'pending' in pendingOf(object)));
}

/** What is configured runs. */
export function applyAll(pve: Db): void {
  for (const object of APPLIED.flatMap((kind) => objects(pve, kind))) {
    const { kind, id, config } = object;
    if (config) pve.db.sdn.put(keyOf(kind, id), { kind, id, config, running: config });
    else pve.db.sdn.delete(keyOf(kind, id));
  }
}

/** What runs is configured. */
export function rollBackAll(pve: Db): void {
  for (const { kind, id, running: runs } of APPLIED.flatMap((kind) => objects(pve, kind))) {
    if (runs) pve.db.sdn.put(keyOf(kind, id), { kind, id, config: runs, running: runs });
    else pve.db.sdn.delete(keyOf(kind, id));
  }
}

const LOCK = 'sdn-lock';

export function newLock(pve: Pve): string {
  const hex = pve.core.random.hex(32);
  const token = hex.replace(/^(.{8})(.{4}).(.{3})(.{4})(.{12})$/, '$1-$2-7$3-$4-$5');
  pve.db.settings.put(LOCK, token);
  return token;
}

export function releaseLock({ db }: Db): void {
  db.settings.delete(LOCK);
}

/** Changes the configuration; whoever holds the lock token is the only one who may. */
export function withSdnLock<T>(call: Call, prefix: string, change: () => T): Promise<T> {
  return withClusterLock(call.pve, 'sdn', prefix, () => {
    const held = call.pve.db.settings.get(LOCK);
    if (held !== undefined && held !== call.text('lock-token')) {
      throw new PveError(500, `invalid lock token provided! at ${PERL}/SDN.pm line 279.`);
    }
    const { digest } = call.params;
    if (digest !== undefined) assertDigest(digest, digestOf(call.pve, kindOf(prefix)));
    return change();
  });
}

const PERL = '/usr/share/perl5/PVE/Network';

/** Perl's own words where a message has no end of its own. */
export function died(message: string, file: string, line: number): PveError {
  return new PveError(500, `${message} at ${PERL}/SDN/${file}.pm line ${line}.`);
}

function kindOf(prefix: string): SdnKind {
  const kind = (['zones', 'vnets', 'subnets', 'controllers'] as const).find((one) =>
    prefix.includes(` ${one.slice(0, -1)} `),
  );
  return kind ?? 'fabrics';
}

export function requireSdnQuorum(call: Call): void {
  requireQuorum(call.pve);
}

/** Options of a request, without what names the object and what is no option. */
export function optionsOf(call: Call, ...names: readonly string[]): Record<string, string | number> {
  const none = new Set(['lock-token', 'digest', 'delete', ...names]);
  return Object.fromEntries(Object.entries(call.params).filter(([name]) => !none.has(name)));
}
