/** Security groups of the cluster (PVE/API2/Firewall/Groups.pm). */
import { type Call, type Handlers, PveError } from '../api.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { CLUSTER, changeFirewall, type FirewallRecord, type Rule, readFirewall } from './records.js';
import { ruleHandlers } from './rules.js';
import { fileComment } from './stored.js';

type Groups = FirewallRecord['groups'];

const all = (call: Call): Groups => readFirewall(call.pve, CLUSTER).groups;
const write = (call: Call, groups: Groups) => changeFirewall(call.pve, CLUSTER, () => ({ groups }));

export function groupHandlers(path: string): Handlers {
  return {
    [`GET ${path}`]: (call) => {
      const digest = digestOfText(all(call));
      return Object.entries(all(call)).map(([group, { comment }]) => ({
        group,
        ...(comment === undefined ? {} : { comment }),
        digest,
      }));
    },
    [`POST ${path}`]: createOrRename,
    [`DELETE ${path}/{group}`]: (call) => {
      const name = call.text('group') ?? '';
      const { rules } = requireGroup(call);
      if (rules.length > 0) throw new PveError(500, `Security group '${name}' is not empty`);
      write(call, Object.fromEntries(Object.entries(all(call)).filter(([key]) => key !== name)));
      return null;
    },
    ...ruleHandlers(`${path}/{group}`, {
      place: 'group',
      read: (call) => requireGroup(call).rules,
      write: (call, rules) => {
        const name = call.text('group') ?? '';
        write(call, { ...all(call), [name]: { ...requireGroup(call), rules } });
      },
      own: (call) => readFirewall(call.pve, CLUSTER),
      cluster: (call) => readFirewall(call.pve, CLUSTER),
    }),
  };
}

function requireGroup(call: Call): Groups[string] {
  const name = call.text('group') ?? '';
  const group = all(call)[name];
  if (!group) throw new PveError(500, `no such security group '${name}'`);
  return group;
}

function createOrRename(call: Call): null {
  const name = call.text('group') ?? '';
  const from = call.text('rename');
  const comment = call.text('comment');
  const noted = fileComment(comment);
  const groups = all(call);
  // Names are read back in small letters.
  const key = name.toLowerCase();
  if (!from) {
    if (groups[name]) throw PveError.parameter({ group: `Security group '${name}' already exists` });
    write(call, { ...groups, [key]: { rules: [], ...groups[key], ...noted } });
    return null;
  }
  assertDigest(call.text('digest'), digestOfText(groups));
  const group = groups[from];
  if (!group) throw PveError.parameter({ group: `Security group '${from}' does not exist` });
  if (groups[name] && name !== from) {
    throw PveError.parameter({ group: `Security group '${name}' does already exist` });
  }
  const others = Object.entries(groups).filter(([other]) => other !== from);
  const { comment: before, ...rest } = group;
  const kept = comment === undefined ? fileComment(before) : noted;
  write(call, { ...Object.fromEntries(others), [key]: { ...rest, ...kept } });
  if (name !== from) renameInRules(call, from, name);
  return null;
}

/** Whoever uses the group goes on using it. */
function renameInRules(call: Call, from: string, to: string): void {
  const renamed = (rule: Rule): Rule =>
    rule.type === 'group' && rule.action === from ? { ...rule, action: to } : rule;
  for (const scope of [...call.pve.db.firewalls.entries()].map(([key]) => key)) {
    changeFirewall(call.pve, scope, ({ rules }) => ({ rules: rules.map(renamed) }));
  }
}
