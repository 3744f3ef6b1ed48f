/** Rules for HA resources, and the groups that they replaced (recordings `ha-rules`, `ha-groups`). */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { requireQuorum } from '../quorum.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { errorText } from '../tasks/task-error.js';
import { splitList } from '../validation/formats.js';
import { isBeforeRules } from '../version.js';
import { wakeManager } from './commands.js';
import { ruleErrors } from './feasibility.js';
import type { HaRule } from './state.js';

const gone = (what: string) => () => {
  throw new PveError(500, `cannot ${what}: ha groups have been migrated to rules`);
};

/** A host with an older Proxmox VE has none of these methods. */
function onlyWithRules(handlers: Handlers): Handlers {
  return Object.fromEntries(
    Object.entries(handlers).map(([route, handle]) => [
      route,
      (call: Call) => {
        if (!isBeforeRules(call.pve.db.hosts.get(call.host))) return handle(call);
        throw new PveError(
          501,
          `Method '${route.replace('{rule}', call.text('rule') ?? '')}' not implemented`,
        );
      },
    ]),
  );
}

export const haRuleHandlers: Handlers = {
  'GET /cluster/ha/groups': gone('index groups'),
  'POST /cluster/ha/groups': gone('create group'),
  'GET /cluster/ha/groups/{group}': gone('read group'),
  'PUT /cluster/ha/groups/{group}': gone('update group'),
  'DELETE /cluster/ha/groups/{group}': gone('delete group'),
  ...onlyWithRules({
    'GET /cluster/ha/rules': (call) =>
      [...call.pve.db.haRules.values()]
        .filter((rule) => call.text('type') === undefined || rule.type === call.text('type'))
        .filter(
          (rule) =>
            call.text('resource') === undefined || rule.resources.includes(call.text('resource') ?? ''),
        )
        .map((rule) => describe(call.pve, rule)),
    'GET /cluster/ha/rules/{rule}': (call) => {
      const id = call.text('rule') ?? '';
      const rule = call.pve.db.haRules.get(id);
      if (!rule) throw new PveError(500, `no such ha rule '${id}'`);
      return describe(call.pve, rule);
    },
    'POST /cluster/ha/rules': createRule,
    'PUT /cluster/ha/rules/{rule}': updateRule,
    'DELETE /cluster/ha/rules/{rule}': (call) => {
      requireQuorum(call.pve);
      call.pve.db.haRules.delete(call.text('rule') ?? '');
      wakeManager(call.pve);
      return null;
    },
  }),
};

const fullId = (sid: string) => (/^\d+$/.test(sid) ? `vm:${sid}` : sid);

function errorsOf(pve: Pve, rules: readonly HaRule[]): ReturnType<typeof ruleErrors> {
  return ruleErrors(rules, pve.db.hosts.size);
}

function describe(pve: Pve, rule: HaRule): unknown {
  const all = [...pve.db.haRules.values()];
  const errors = errorsOf(pve, all).get(rule.rule);
  const { resources, nodes, ...rest } = rule;
  return {
    ...rest,
    resources: [...resources].sort().join(','),
    ...(nodes === undefined ? {} : { nodes: printNodes(nodes) }),
    order: all.indexOf(rule) + 1,
    digest: digestOfText(all),
    ...(errors === undefined ? {} : { errors: { resources: errors } }),
  };
}

function printNodes(nodes: Readonly<Record<string, number>>): string {
  return Object.keys(nodes)
    .sort()
    .map((node) => (nodes[node] ? `${node}:${nodes[node]}` : node))
    .join(',');
}

function given(call: Call): Partial<HaRule> {
  const resources = call.text('resources');
  const nodes = call.text('nodes');
  const affinity = call.text('affinity');
  const comment = call.text('comment');
  const strict = call.number('strict');
  return {
    ...(resources === undefined ? {} : { resources: [...new Set(splitList(resources).map(fullId))] }),
    ...(nodes === undefined ? {} : { nodes: parseNodes(nodes) }),
    ...(affinity === 'positive' || affinity === 'negative' ? { affinity } : {}),
    ...(strict === undefined ? {} : { strict }),
    ...(call.flag('disable') ? { disable: 1 } : {}),
    ...(comment === undefined ? {} : { comment }),
  };
}

export function parseNodes(text: string): Record<string, number> {
  return Object.fromEntries(
    splitList(text).map((entry) => {
      const [node = '', priority] = entry.split(':');
      return [node, Number(priority ?? 0)];
    }),
  );
}

/** Under the lock: what goes wrong is told with this in front, and a code as part of the text. */
function inLock(prefix: string, change: () => void): null {
  try {
    change();
    return null;
  } catch (error) {
    if (error instanceof PveError) throw new PveError(500, `${prefix}: ${errorText(error)}`);
    throw error;
  }
}

function assertNames(pve: Pve, { resources, nodes }: Partial<HaRule>): void {
  if (resources?.length === 0) throw new PveError(500, 'no resources were specified');
  const unmanaged = [...(resources ?? [])].filter((sid) => !pve.db.haResources.has(sid)).sort();
  if (unmanaged.length > 0) {
    throw new PveError(500, `cannot use unmanaged resource(s) ${unmanaged.join(', ')}.`);
  }
  if (nodes && Object.keys(nodes).length === 0) throw new PveError(500, 'no nodes were specified');
  const missing = Object.keys(nodes ?? {})
    .filter((node) => !pve.db.hosts.has(node))
    .sort();
  if (missing.length > 0) throw new PveError(500, `cannot use non-existent node(s) ${missing.join(', ')}.`);
}

function save(pve: Pve, rule: HaRule): void {
  const others = [...pve.db.haRules.values()].filter((other) => other.rule !== rule.rule);
  const errors = errorsOf(pve, [...others, rule]).get(rule.rule);
  if (errors) throw new PveError(500, `400 Rule '${rule.rule}' is invalid.\nresources: ${errors.join(', ')}`);
  pve.db.haRules.put(rule.rule, rule);
  wakeManager(pve);
}

function createRule(call: Call): null {
  const { pve } = call;
  requireQuorum(pve);
  const rule = call.text('rule') ?? '';
  const type = call.text('type') === 'resource-affinity' ? 'resource-affinity' : 'node-affinity';
  return inLock('create ha rule failed', () => {
    if (pve.db.haRules.has(rule)) throw new PveError(500, `HA rule '${rule}' already defined`);
    const settings = given(call);
    assertNames(pve, settings);
    save(pve, { rule, type, resources: [], ...settings });
    placeSecond(pve, rule);
  });
}

/**
 * Proxmox counts from the lowest number, not from the highest, so a new rule shares the number 2 with the one that has
 * it. Which of the two is written first is left to the order of a Perl hash: the same requests were answered both ways.
 */
function placeSecond({ db }: Pve, id: string): void {
  const [, ...later] = [...db.haRules.values()].filter(({ rule }) => rule !== id);
  for (const rule of later) {
    db.haRules.delete(rule.rule);
    db.haRules.put(rule.rule, rule);
  }
}

const REQUIRED: Readonly<Record<HaRule['type'], readonly string[]>> = {
  'node-affinity': ['resources', 'nodes'],
  'resource-affinity': ['resources', 'affinity'],
};
const OPTIONAL: Readonly<Record<HaRule['type'], readonly string[]>> = {
  'node-affinity': ['strict', 'disable', 'comment'],
  'resource-affinity': ['disable', 'comment'],
};

function updateRule(call: Call): null {
  const { pve } = call;
  const id = call.text('rule') ?? '';
  return inLock('update HA rules failed', () => {
    assertDigest(call.text('digest'), digestOfText([...pve.db.haRules.values()]));
    const rule = pve.db.haRules.get(id);
    if (!rule) throw new PveError(500, `HA rule '${id}' does not exist`);
    if (call.text('type') !== rule.type) throw new PveError(500, "unexpected property 'type'");
    requireQuorum(pve);
    const settings = given(call);
    assertNames(pve, settings);
    const kept: Record<string, unknown> = { ...rule };
    for (const key of splitList(call.text('delete') ?? '')) {
      if (REQUIRED[rule.type].includes(key)) {
        throw new PveError(500, `unable to delete required option '${key}'`);
      }
      if (!OPTIONAL[rule.type].includes(key)) throw new PveError(500, `no such option '${key}'`);
      if (key in settings) {
        throw new PveError(500, `cannot set and delete property '${key}' at the same time!`);
      }
      delete kept[key];
    }
    const { resources } = rule;
    save(pve, { ...kept, rule: id, type: rule.type, resources, ...settings });
  });
}
