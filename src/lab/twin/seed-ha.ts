/** What the HA manager of a twin looks after: resources and rules as the API told them. */
import type { PveDb } from '../proxmox/db.js';
import { parseNodes } from '../proxmox/ha/rules.js';
import type { HaResource, HaRule } from '../proxmox/ha/state.js';
import { splitList } from '../proxmox/validation/formats.js';
import type { TwinHa } from './twin-state.js';

export function seedHa(db: PveDb, { resources, rules }: TwinHa): void {
  for (const [sid, settings] of Object.entries(resources)) db.haResources.put(sid, resourceOf(sid, settings));
  for (const [name, { type, settings }] of Object.entries(rules)) {
    const rule = ruleOf(name, type, settings);
    if (rule) db.haRules.put(name, rule);
  }
}

type Settings = Readonly<Record<string, string>>;

function numbers<K extends string>(settings: Settings, keys: readonly K[]): Partial<Record<K, number>> {
  const found: Partial<Record<K, number>> = {};
  for (const key of keys) if (settings[key] !== undefined) found[key] = Number(settings[key]);
  return found;
}

function resourceOf(sid: string, settings: Settings): HaResource {
  const { state, comment } = settings;
  return {
    sid,
    type: sid.startsWith('ct:') ? 'ct' : 'vm',
    ...(state !== undefined && { state }),
    ...numbers(settings, ['max_restart', 'max_relocate', 'failback']),
    ...(comment !== undefined && { comment }),
  };
}

/** A kind of rule that the lab does not know moves nothing here. */
function ruleOf(rule: string, type: string, settings: Settings): HaRule | undefined {
  if (type !== 'node-affinity' && type !== 'resource-affinity') return undefined;
  const { resources = '', nodes, affinity, comment } = settings;
  return {
    rule,
    type,
    resources: splitList(resources),
    ...(nodes !== undefined && { nodes: parseNodes(nodes) }),
    ...((affinity === 'positive' || affinity === 'negative') && { affinity }),
    ...numbers(settings, ['strict', 'disable']),
    ...(comment !== undefined && { comment }),
  };
}
