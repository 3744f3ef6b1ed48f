/** Realms: where users come from (pve-access-control, PVE/API2/Domains.pm). No server of a realm is ever asked. */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { withClusterLock } from '../quorum.js';
import {
  assertDigest,
  checkSection,
  digestOfText,
  requireWhole,
  type SectionOptions,
  type Settings,
  sectionOptions,
  withoutEmpty,
  withoutType,
} from '../section-config.js';
import { parsePropertyString } from '../validation/check.js';
import { splitList } from '../validation/formats.js';

/** As its section has it, without the password, which lies in a file of its own. */
export type RealmRecord = Settings & { readonly type: string };

const BUILT_IN: ReadonlyMap<string, RealmRecord> = new Map([
  ['pam', { type: 'pam', plugin: 'PVE::Auth::PAM', comment: 'Linux PAM standard authentication' }],
  ['pve', { type: 'pve', comment: 'Proxmox VE authentication server' }],
]);

const COMMON = 'default comment';
const DIRECTORY =
  'server2 port secure sslversion tfa verify capath cert certkey bind_dn password filter sync_attributes user_classes group_dn group_name_attr group_filter group_classes sync-defaults-options mode case-sensitive';

const OPTIONS: Readonly<Record<string, SectionOptions>> = {
  ad: sectionOptions('server1+ domain+ base_dn user_attr', COMMON, DIRECTORY),
  ldap: sectionOptions('server1+ base_dn+ user_attr+', COMMON, DIRECTORY),
  openid: sectionOptions(
    'issuer-url+ client-id+ client-key autocreate username-claim!? groups-claim groups-autocreate groups-overwrite prompt scopes acr-values audiences query-userinfo',
    COMMON,
  ),
  pam: sectionOptions('tfa', COMMON),
  pve: sectionOptions('tfa', COMMON),
};

const TASK = 'auth-realm-sync';
const DRY_TASK = 'auth-realm-sync-test';
const SYNC_MS = 1_000;

export const realmHandlers: Handlers = {
  'GET /access/domains': ({ pve }) => realmsOf(pve).map(listed),
  'POST /access/domains': createRealm,
  'GET /access/domains/{realm}': (call) => ({ ...requireRealm(call), digest: digestOf(call.pve) }),
  'PUT /access/domains/{realm}': updateRealm,
  'DELETE /access/domains/{realm}': (call) =>
    withClusterLock(call.pve, 'domains_cfg', 'delete auth server failed', () => {
      const realm = realmId(call);
      if (!realmNamed(call.pve, realm)) {
        throw new PveError(500, `authentication domain '${realm}' does not exist`);
      }
      call.pve.db.realms.delete(realm);
      return null;
    }),
  'POST /access/domains/{realm}/sync': startSync,
};

export function defineRealmTasks(pve: Pve): void {
  for (const type of [TASK, DRY_TASK]) {
    pve.tasks.define<{ realm: string; server: string }>(type, ({ realm, server }, task) => {
      task.log(`${type === DRY_TASK ? '(dry test run) ' : ''}starting sync for realm ${realm}`);
      throw new PveError(500, `IO::Socket::INET: Bad hostname '${server}'`);
    });
  }
}

const realmId = (call: Call) => call.text('realm') ?? '';

/** `undefined`: no such realm. The two that every cluster has cannot be removed, only changed. */
export function realmNamed({ db }: Pick<Pve, 'db'>, realm: string): RealmRecord | undefined {
  const kept = db.realms.get(realm);
  const own = BUILT_IN.get(realm);
  return own ? { ...own, ...kept } : kept;
}

function realmsOf(pve: Pve): [string, RealmRecord][] {
  const names = [...new Set([...BUILT_IN.keys(), ...[...pve.db.realms.entries()].map(([name]) => name)])];
  return names.flatMap((name) => {
    const realm = realmNamed(pve, name);
    return realm ? [[name, realm]] : [];
  });
}

function digestOf(pve: Pve): string {
  return digestOfText(realmsOf(pve));
}

function requireRealm(call: Call): RealmRecord {
  const realm = realmNamed(call.pve, realmId(call));
  if (!realm) throw new PveError(500, `domain '${realmId(call)}' does not exist`);
  return realm;
}

function listed([realm, { type, comment, default: byDefault, tfa }]: [string, RealmRecord]): unknown {
  return {
    realm,
    type,
    ...(comment ? { comment } : {}),
    ...(byDefault ? { default: 1 } : {}),
    ...(tfa ? { tfa: parsePropertyString('pve-tfa-config', String(tfa)).type } : {}),
  };
}

/** `full` and `purge` are old words for parts of `remove-vanished`. */
function currentSyncOptions(text: string): string {
  const { full, purge, ...options } = parsePropertyString('realm-sync-options', text);
  const parts = [...(Number(full) ? ['entry', 'properties'] : []), ...(Number(purge) ? ['acl'] : [])];
  if (options['remove-vanished'] === undefined && parts.length > 0) {
    options['remove-vanished'] = parts.join(';');
  }
  const written = Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1));
  return written.map(([name, value]) => `${name}=${value}`).join(',');
}

function checkRealm(type: string, given: Call['params'], create: boolean): Settings {
  const settings = checkSection(OPTIONS[type] ?? new Map(), given, create);
  const sync = settings['sync-defaults-options'];
  return {
    ...settings,
    ...(sync === undefined ? {} : { 'sync-defaults-options': currentSyncOptions(String(sync)) }),
  };
}

function putRealm({ db }: Pve, name: string, realm: RealmRecord): void {
  for (const [other, { default: byDefault, ...rest }] of [...db.realms.entries()]) {
    if (realm.default && byDefault && other !== name) db.realms.put(other, { ...rest, type: rest.type });
  }
  db.realms.put(name, { ...withoutEmpty(realm), type: realm.type });
}

/** Only directories can be asked whether they are there; none is. */
function checkConnection(call: Call, type: string, server: unknown): void {
  const asked = call.text('check-connection');
  const directory = type === 'ldap' || type === 'ad';
  if (asked !== undefined && !directory) {
    throw new PveError(500, "'check-connection' parameter can only be set for realms of type 'ldap' or 'ad'");
  }
  if (call.flag('check-connection') && server !== undefined) {
    throw new PveError(500, `IO::Socket::INET: Bad hostname '${server}'`);
  }
}

function createRealm(call: Call): Promise<null> {
  const {
    realm: _realm,
    type: _type,
    password: _password,
    'check-connection': _check,
    ...given
  } = call.params;
  const realm = realmId(call);
  const type = call.text('type') ?? '';
  return withClusterLock(call.pve, 'domains_cfg', 'add auth server failed', () => {
    if (realmNamed(call.pve, realm)) throw new PveError(500, `domain '${realm}' already exists`);
    if (type === 'pam' || type === 'pve') throw new PveError(500, `unable to create builtin type '${type}'`);
    checkConnection(call, type, undefined);
    const settings = checkRealm(type, given, true);
    checkConnection(call, type, given.server1);
    putRealm(call.pve, realm, { ...settings, type });
    return null;
  });
}

function updateRealm(call: Call): Promise<null> {
  const {
    realm: _realm,
    delete: remove,
    digest,
    password,
    'check-connection': _check,
    ...given
  } = call.params;
  return withClusterLock(call.pve, 'domains_cfg', 'update auth server failed', () => {
    assertDigest(digest, digestOf(call.pve));
    // Perl makes the section it looks into, so that a realm that is missing is one without a type.
    const realm: Settings = realmNamed(call.pve, realmId(call)) ?? {};
    const type = String(realm.type ?? '');
    checkConnection(call, type, undefined);
    if (!remove && password === undefined && Object.keys(given).length === 0) {
      throw new PveError(500, 'no options specified');
    }
    if (type === '') throw withoutType();
    const gone = splitList(String(remove ?? ''));
    const kept = Object.fromEntries(Object.entries(realm).filter(([name]) => !gone.includes(name)));
    const changed = { ...kept, ...checkRealm(type, given, false), type };
    checkConnection(call, type, realm.server1);
    requireWhole(realmId(call), OPTIONS[type] ?? new Map(), changed);
    putRealm(call.pve, realmId(call), changed);
    return null;
  });
}

function startSync(call: Call): string {
  const name = realmId(call);
  const realm = realmNamed(call.pve, name);
  if (!realm) throw PveError.parameter({ realm: 'Realm does not exist.' });
  if (realm.type !== 'ldap' && realm.type !== 'ad') {
    throw new PveError(500, `Cannot sync realm type '${realm.type}'! Only LDAP/AD realms can be synced.`);
  }
  const defaults = realm['sync-defaults-options'];
  const scope =
    call.text('scope') ??
    (defaults === undefined ? undefined : parsePropertyString('realm-sync-options', String(defaults)).scope);
  if (scope === undefined) {
    throw PveError.parameter({
      scope: 'Not passed as parameter and not defined in realm default sync options.',
    });
  }
  return call.pve.tasks.start(call, {
    node: call.host,
    type: call.flag('dry-run') ? DRY_TASK : TASK,
    id: name,
    args: { realm: name, server: String(realm.server1) },
    duration: SYNC_MS,
  });
}
