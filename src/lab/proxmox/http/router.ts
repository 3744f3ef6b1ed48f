/** Finds the method of a request as Proxmox VE walks its API tree (pve-common, PVE/RESTHandler.pm). */

import { METHODS } from '../gen/schema.js';
import type { MethodSchema } from '../schema.js';
import { EXTRA_METHODS } from './extra-methods.js';

export interface Route {
  readonly method: MethodSchema;
  readonly variables: Readonly<Record<string, string>>;
}

interface Branch {
  readonly fixed: Map<string, Branch>;
  variable?: { readonly name: string; readonly branch: Branch };
  readonly methods: Map<string, MethodSchema>;
}

const newBranch = (): Branch => ({ fixed: new Map(), methods: new Map() });

/** Volume ids and networks contain slashes, so everything below is one variable. */
const WHOLE_REST = /\/storage\/\{storage\}\/content$|\/firewall\/ipset\/\{name\}$/;

/** Methods whose schema lists no properties at all, not even none: nothing that is sent is looked at. */
const UNCHECKED = [
  '/access/ticket',
  '/cluster/firewall',
  '/cluster/firewall/macros',
  '/cluster/firewall/options',
];

const root = newBranch();
for (const method of [...METHODS, ...EXTRA_METHODS]) {
  const unchecked = method.method === 'GET' && UNCHECKED.includes(method.path);
  plant(unchecked ? { ...method, parameters: {} } : method);
}

function plant(method: MethodSchema): void {
  let branch = root;
  for (const part of method.path.split('/').filter(Boolean)) {
    const name = /^\{(.*)\}$/.exec(part)?.[1];
    if (name === undefined) {
      const next = branch.fixed.get(part) ?? newBranch();
      branch.fixed.set(part, next);
      branch = next;
    } else {
      branch.variable ??= { name, branch: newBranch() };
      branch = branch.variable.branch;
    }
  }
  branch.methods.set(method.method, method);
}

/** `path` is percent-decoded and begins below `/api2/json`. */
export function findRoute(verb: string, path: string): Route | undefined {
  const variables: Record<string, string> = {};
  const parts = path.split('/').filter((part) => part !== '');
  let branch = root;
  let walked = '';
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    const fixed = branch.fixed.get(part);
    if (fixed) {
      branch = fixed;
      walked += `/${part}`;
    } else if (branch.variable) {
      const whole = WHOLE_REST.test(walked);
      const value = whole ? parts.slice(index).join('/') : part;
      if (!/^\S+$/.test(value)) return undefined;
      variables[branch.variable.name] = value;
      walked += `/{${branch.variable.name}}`;
      branch = branch.variable.branch;
      if (whole) break;
    } else {
      return undefined;
    }
  }
  const method = branch.methods.get(verb);
  return method && { method, variables };
}
