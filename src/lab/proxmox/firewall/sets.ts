/** IP sets and aliases of a firewall (PVE/API2/Firewall/IPSet.pm, Aliases.pm). */
import { type Call, type Handlers, PveError } from '../api.js';
import { assertDigest, digestOfText } from '../section-config.js';
import {
  CLUSTER,
  changeFirewall,
  type FirewallAlias,
  type IpSet,
  type IpSetEntry,
  readFirewall,
} from './records.js';
import { ALIAS } from './specs.js';
import { cleanNetwork, fileAddress, fileComment, fileEntries } from './stored.js';

export type ScopeOf = (call: Call) => string;

const commentOf = (call: Call) => fileComment(call.text('comment'));

function without<T>(record: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
}

export function aliasHandlers(path: string, scope: ScopeOf): Handlers {
  const all = (call: Call) => readFirewall(call.pve, scope(call)).aliases;
  const shown = (alias: FirewallAlias) => ({ ...alias, ipversion: alias.cidr.includes(':') ? 6 : 4 });
  const write = (call: Call, aliases: Readonly<Record<string, FirewallAlias>>) =>
    changeFirewall(call.pve, scope(call), () => ({ aliases }));
  const required = (call: Call) => {
    const alias = all(call)[(call.text('name') ?? '').toLowerCase()];
    if (!alias) throw PveError.parameter({ name: 'no such alias' });
    return alias;
  };
  const exists = (name: string) => PveError.parameter({ name: `alias '${name}' already exists` });
  return {
    [`GET ${path}`]: (call) => {
      const digest = digestOfText(all(call));
      return Object.values(all(call)).map((alias) => ({ ...shown(alias), digest }));
    },
    [`POST ${path}`]: (call) => {
      const name = call.text('name') ?? '';
      if (all(call)[name.toLowerCase()]) throw exists(name);
      const alias = { name, cidr: fileAddress(call.text('cidr') ?? ''), ...commentOf(call) };
      write(call, { ...all(call), [name.toLowerCase()]: alias });
      return null;
    },
    [`GET ${path}/{name}`]: (call) => shown(required(call)),
    [`PUT ${path}/{name}`]: (call) => {
      assertDigest(call.text('digest'), digestOfText(all(call)));
      required(call);
      const name = call.text('name') ?? '';
      const to = call.text('rename') || name;
      const key = to.toLowerCase();
      const renamed = key !== name.toLowerCase();
      if (renamed && all(call)[key]) throw exists(to);
      const cidr = fileAddress(call.text('cidr') ?? '');
      const alias = { name: renamed ? to : name, cidr, ...commentOf(call) };
      write(call, { ...without(all(call), name.toLowerCase()), [key]: alias });
      return null;
    },
    [`DELETE ${path}/{name}`]: (call) => {
      assertDigest(call.text('digest'), digestOfText(all(call)));
      write(call, without(all(call), (call.text('name') ?? '').toLowerCase()));
      return null;
    },
  };
}

export function ipSetHandlers(path: string, scope: ScopeOf): Handlers {
  const all = (call: Call) => readFirewall(call.pve, scope(call)).ipsets;
  const write = (call: Call, ipsets: Readonly<Record<string, IpSet>>) =>
    changeFirewall(call.pve, scope(call), () => ({ ipsets }));
  return {
    [`GET ${path}`]: (call) => {
      const digest = digestOfText(all(call));
      return Object.entries(all(call)).map(([name, { comment }]) => ({
        name,
        ...(comment === undefined ? {} : { comment }),
        digest,
      }));
    },
    [`POST ${path}`]: (call) => {
      write(call, createOrRename(call, all(call)));
      return null;
    },
    [`GET ${path}/{name}`]: (call) => shownEntries(call, scope(call), requireSet(call, all(call)).entries),
    [`DELETE ${path}/{name}`]: (call) => {
      const set = requireSet(call, all(call));
      const name = call.text('name') ?? '';
      if (set.entries.length > 0 && !call.flag('force')) {
        throw new PveError(500, `IPSet '${name}' is not empty`);
      }
      write(call, without(all(call), name));
      return null;
    },
    ...entryHandlers(path, scope, all, write),
  };
}

function requireSet(call: Call, sets: Readonly<Record<string, IpSet>>): IpSet {
  const name = call.text('name') ?? '';
  const set = sets[name];
  if (!set) throw new PveError(500, `no such IPSet '${name}'`);
  return set;
}

/** With `rename` a set that is there gets another name, or with its own name another comment. */
function createOrRename(call: Call, sets: Readonly<Record<string, IpSet>>): Record<string, IpSet> {
  const name = call.text('name') ?? '';
  const from = call.text('rename');
  // Names are read back in small letters.
  const key = name.toLowerCase();
  if (!from) {
    if (sets[name]) throw PveError.parameter({ name: `IPSet '${name}' already exists` });
    return { ...sets, [key]: { entries: [], ...sets[key], ...commentOf(call) } };
  }
  assertDigest(call.text('digest'), digestOfText(sets));
  const set = sets[from];
  if (!set) throw PveError.parameter({ name: `IPSet '${from}' does not exist` });
  if (sets[name] && name !== from) throw PveError.parameter({ name: `IPSet '${name}' does already exist` });
  const { comment, ...rest } = set;
  const noted = call.text('comment') === undefined ? fileComment(comment) : commentOf(call);
  return { ...without(sets, from), [key]: { ...rest, ...noted } };
}

/** `undefined`: the alias is there. */
function aliasProblem(call: Call, scope: string, text: string): string | undefined {
  const [, where = '', name = ''] = ALIAS.exec(text) ?? [];
  const key = name.toLowerCase();
  const found =
    (where !== 'dc/' && scope !== CLUSTER && readFirewall(call.pve, scope).aliases[key]) ||
    (where !== 'guest/' && readFirewall(call.pve, CLUSTER).aliases[key]);
  return found ? undefined : `no such alias '${name}'`;
}

/** An entry whose alias is gone says so. */
function shownEntries(call: Call, scope: string, entries: readonly IpSetEntry[]) {
  const digest = digestOfText(entries);
  return entries.map((entry) => {
    const problem = ALIAS.test(entry.cidr) ? aliasProblem(call, scope, entry.cidr) : undefined;
    return { ...entry, ...(problem === undefined ? {} : { errors: { cidr: problem } }), digest };
  });
}

function entryHandlers(
  path: string,
  scope: ScopeOf,
  all: (call: Call) => Readonly<Record<string, IpSet>>,
  write: (call: Call, sets: Readonly<Record<string, IpSet>>) => void,
): Handlers {
  const change = (call: Call, entries: (set: IpSet) => IpSetEntry[]) => {
    const set = requireSet(call, all(call));
    const changed = { ...set, entries: fileEntries(entries(set)) };
    write(call, { ...all(call), [call.text('name') ?? '']: changed });
    return null;
  };
  const entryOf = (call: Call, cidr: string): IpSetEntry => ({
    cidr,
    ...(call.flag('nomatch') ? { nomatch: 1 } : {}),
    ...commentOf(call),
  });
  const newAddress = (call: Call) => {
    const text = call.text('cidr') ?? '';
    if (!ALIAS.test(text)) return fileAddress(cleanNetwork(text));
    const problem = aliasProblem(call, scope(call), text);
    if (problem !== undefined) throw new PveError(500, problem);
    return text;
  };
  const missing = PveError.parameter({ cidr: 'no such IP/Network' });
  const one = `${path}/{name}/{cidr}`;
  return {
    [`POST ${path}/{name}`]: (call) =>
      change(call, ({ entries }) => {
        const entry = entryOf(call, newAddress(call));
        if (entries.some(({ cidr }) => cidr === entry.cidr)) {
          throw PveError.parameter({ cidr: `address '${entry.cidr}' already exists` });
        }
        if (/\/0+$/.test(entry.cidr)) {
          throw PveError.parameter({ cidr: 'a zero prefix is not allowed in ipset entries' });
        }
        return [...entries, entry];
      }),
    [`GET ${one}`]: (call) => {
      const found = shownEntries(call, scope(call), requireSet(call, all(call)).entries).find(
        ({ cidr }) => cidr === call.text('cidr'),
      );
      if (!found) throw missing;
      return found;
    },
    [`PUT ${one}`]: (call) =>
      change(call, ({ entries }) => {
        assertDigest(call.text('digest'), digestOfText(entries));
        if (!entries.some(({ cidr }) => cidr === call.text('cidr'))) throw missing;
        return entries.map((entry) => (entry.cidr === call.text('cidr') ? entryOf(call, entry.cidr) : entry));
      }),
    [`DELETE ${one}`]: (call) =>
      change(call, ({ entries }) => {
        assertDigest(call.text('digest'), digestOfText(entries));
        return entries.filter(({ cidr }) => cidr !== call.text('cidr'));
      }),
  };
}
