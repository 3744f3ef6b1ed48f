/** Options of the cluster and its free ids (pve-cluster, PVE/DataCenterConfig.pm); recording `next-id`. */
import { z } from 'zod';
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { METHODS } from '../gen/schema.js';
import { withClusterLock } from '../quorum.js';
import { parsePropertyString, propertyFormat } from '../validation/check.js';
import { splitList } from '../validation/formats.js';

export const optionHandlers: Handlers = {
  'GET /cluster/nextid': nextId,
  'GET /cluster/options': readOptions,
  'PUT /cluster/options': writeOptions,
};

/** Property strings that are read back as objects; others, such as `bwlimit`, stay text. */
const OBJECTS = [
  'crs',
  'ha',
  'location',
  'migration',
  'next-id',
  'notify',
  'replication',
  'tag-style',
  'u2f',
  'user-tag-access',
  'webauthn',
];

const MAC_PREFIX = 'BC:24:11';
const LOWEST_ID = 100;
const HIGHEST_ID = 1_000_000;

const SCHEMA =
  METHODS.find(({ method, path }) => method === 'PUT' && path === '/cluster/options')?.parameters
    .properties ?? {};

function clusterOptions(pve: Pick<Pve, 'db'>): Record<string, string> {
  return z.record(z.string(), z.coerce.string()).catch({}).parse(pve.db.settings.get('datacenter'));
}

/** The keys of an option: flags are numbers, all others texts. */
function clusterOption(pve: Pick<Pve, 'db'>, name: string): Record<string, string | number> {
  const text = clusterOptions(pve)[name];
  const format = SCHEMA[name]?.format;
  if (text === undefined || format === undefined) return {};
  const types = propertyFormat(format);
  return Object.fromEntries(
    Object.entries(parsePropertyString(format, text, name)).map(([key, value]) => [
      key,
      types[key]?.type === 'boolean' ? Number(value) : value,
    ]),
  );
}

/** The first free id, and nothing is reserved by asking; one that is asked for need not be in the range. */
function nextId(call: Call): string {
  const { db } = call.pve;
  const taken = (vmid: number) => db.vms.has(String(vmid)) || db.containers.has(String(vmid));
  const asked = call.number('vmid');
  if (asked !== undefined) {
    if (taken(asked)) throw PveError.parameter({ vmid: `VM ${asked} already exists` });
    return String(asked);
  }
  const range = clusterOption(call.pve, 'next-id');
  const lower = Number(range.lower ?? LOWEST_ID);
  const upper = Number(range.upper ?? HIGHEST_ID);
  for (let vmid = lower; vmid < upper; vmid += 1) if (!taken(vmid)) return String(vmid);
  throw new PveError(500, `unable to get any free VMID in range [${lower}, ${upper}]`);
}

/** What a tag style or console says is for everybody. */
const OPEN_OPTIONS = ['console', 'tag-style'];

function readOptions(call: Call): unknown {
  const set = clusterOptions(call.pve);
  const shown: Record<string, unknown> = {};
  const audit = call.allows('/', ['Sys.Audit']);
  if (audit) Object.assign(shown, { description: '', mac_prefix: MAC_PREFIX });
  for (const [name, text] of Object.entries(set)) {
    if (!audit && !OPEN_OPTIONS.includes(name)) continue;
    shown[name] = readable(call.pve, name, text);
  }
  return { ...shown, 'allowed-tags': allowedTags(call) };
}

function readable(pve: Pve, name: string, text: string): unknown {
  if (name === 'registered-tags') return text.split(';');
  if (SCHEMA[name]?.type === 'boolean') return Number(text);
  if (name === 'description' && text !== '') return text.endsWith('\n') ? text : `${text}\n`;
  if (!OBJECTS.includes(name)) return text;
  const object: Record<string, unknown> = clusterOption(pve, name);
  if (object['user-allow-list'] !== undefined) {
    object['user-allow-list'] = String(object['user-allow-list']).split(';');
  }
  return object;
}

/** Lists of tags are kept as they were sent, and sorted by the next change of anything. */
function sortedTags(options: Record<string, string>): Record<string, string> {
  const sorted = (text: string) => text.split(';').sort().join(';');
  const { 'registered-tags': registered, 'user-tag-access': access } = options;
  return {
    ...options,
    ...(registered && { 'registered-tags': sorted(registered) }),
    ...(access && {
      'user-tag-access': access.replace(/(?<=user-allow-list=)[^,]*/, sorted),
    }),
  };
}

/** Registered tags are for those who may change the cluster; others may use what `user-tag-access` leaves them. */
function allowedTags(call: Call): string[] {
  const access = clusterOption(call.pve, 'user-tag-access');
  const privileged = call.allows('/', ['Sys.Modify']);
  const allow = access['user-allow'] ?? 'free';
  const registered = splitList(clusterOptions(call.pve)['registered-tags'] ?? '');
  const tags = new Set<string>();
  if (allow !== 'none' || privileged) {
    for (const tag of splitList(String(access['user-allow-list'] ?? ''))) tags.add(tag);
  }
  if (allow === 'free' || allow === 'existing' || privileged) {
    for (const vm of call.pve.db.vms.values()) {
      if (!privileged && !call.allows(`/vms/${vm.vmid}`, ['VM.Audit'])) continue;
      for (const tag of splitList(vm.config.tags ?? '')) tags.add(tag);
    }
  }
  for (const tag of registered) {
    if (privileged) tags.add(tag);
    else tags.delete(tag);
  }
  return [...tags].sort();
}

/** What is not written at all: the default, and nothing. */
const isWritten = ([name, value]: [string, string | number]) =>
  !(name === 'mac_prefix' && String(value).toUpperCase() === MAC_PREFIX) && !(name === 'crs' && value === '');

function writeOptions(call: Call): Promise<null> {
  const { delete: remove, ...given } = call.params;
  return withClusterLock(call.pve, 'datacenter_cfg', '', () => {
    const changed: Record<string, string | number> = { ...sortedTags(clusterOptions(call.pve)), ...given };
    for (const key of splitList(String(remove ?? ''))) delete changed[key];
    if (changed['next-id'] !== undefined) assertRange(String(changed['next-id']));
    if (changed.console === 'applet') changed.console = 'html5';
    // The old name of an option becomes the new one, where that is not set.
    if (changed.migration_unsecure !== undefined && changed.migration === undefined) {
      changed.migration = `type=${Number(changed.migration_unsecure) === 1 ? 'insecure' : 'secure'}`;
      delete changed.migration_unsecure;
    }
    call.pve.db.settings.put('datacenter', Object.fromEntries(Object.entries(changed).filter(isWritten)));
    return null;
  });
}

function assertRange(text: string): void {
  const range = parsePropertyString(SCHEMA['next-id']?.format ?? '', text, 'next-id');
  const lower = Number(range.lower ?? LOWEST_ID);
  const upper = Number(range.upper ?? HIGHEST_ID);
  if (lower > upper) throw new PveError(500, `lower (${lower}) <= upper (${upper}) boundary rule broken`);
}
