/** In which order a request is looked at, for every method there is: way, rights, host, parameters, and only then the thing itself. */
import { describe, expect, it } from 'vitest';
import { findProfile } from '../../src/lab/profiles/profiles.js';
import { METHODS } from '../../src/lab/proxmox/gen/schema.js';
import { HANDLERS } from '../../src/lab/proxmox/handlers.js';
import { EXTRA_METHODS } from '../../src/lab/proxmox/http/extra-methods.js';
import type { MethodSchema } from '../../src/lab/proxmox/schema.js';
import { openBench } from '../support/lab/proxmox/test-bench.js';

const world = findProfile('empty')?.world(['pve1', 'pve2']) ?? { hosts: [], storages: [] };
const bench = openBench(world);
const NOTHING = 'nothing@pve';
const EXTRA = { zzextra: '1' };

const VARIABLES: Readonly<Record<string, string>> = {
  node: 'pve1',
  vmid: '4711',
  storage: 'local',
  userid: NOTHING,
  tokenid: 'none',
  upid: 'UPID:pve1:00000001:00000001:00000001:qmstart:4711:root@pam:',
  pos: '0',
  realm: 'pve',
  sid: 'vm:4711',
  cidr: '10.0.0.1',
  subnet: 'lan-10.0.0.0-24',
  id: 'x1',
};
const pathOf = ({ path }: MethodSchema, node = 'pve1') =>
  path.replace(/\{([^}]+)\}/g, (_, name: string) => (name === 'node' ? node : (VARIABLES[name] ?? 'xx1')));

const described = [...METHODS, ...EXTRA_METHODS];
const methods = described.filter(({ method, path }) => `${method} ${path}` in HANDLERS);

/** What every request to the method has to have and this one has not; variants are told apart by a value. */
function missing({ path, parameters }: MethodSchema): string[] {
  return Object.entries(parameters.properties ?? {})
    .filter(([name, { optional }]) => !optional && !name.includes('[') && !path.includes(`{${name}}`))
    .map(([name]) => name);
}

describe('a request to any method', () => {
  it('of which there are many', () => {
    expect(methods.length).toBeGreaterThan(300);
  });

  it('with a verb that the path does not have is 501', async () => {
    for (const method of methods) {
      const path = pathOf(method);
      const there = new Set(
        described.filter((other) => other.path === method.path).map((other) => other.method),
      );
      for (const verb of (['GET', 'POST', 'PUT', 'DELETE'] as const).filter((one) => !there.has(one))) {
        const { status, data } = await bench.send(verb, path, EXTRA, NOTHING);
        expect([status, data]).toEqual([501, `Method '${verb} ${path}' not implemented`]);
      }
    }
  });

  it('without the right is 403, whatever its parameters are', async () => {
    await bench.send('POST', '/access/users', { userid: NOTHING });
    const allowed: string[] = [];
    for (const method of methods) {
      const { user, check } = method.permissions ?? {};
      // Users are looked for first, and have rights on themselves.
      if (user !== undefined || /userid-|perm-modify/.test(JSON.stringify(check))) continue;
      const { status } = await bench.send(method.method, pathOf(method), EXTRA, NOTHING);
      if (status !== 403) allowed.push(`${status} ${method.method} ${method.path}`);
    }
    expect(allowed).toEqual([]);
  });

  it('for a host that is not there is told so before its parameters are read', async () => {
    for (const method of methods.filter(({ onNode }) => onNode)) {
      const { status, data } = await bench.send(method.method, pathOf(method, 'pve9'), EXTRA);
      expect([status, String(data).slice(0, 30)], method.path).toEqual([
        500,
        "hostname lookup 'pve9' failed ",
      ]);
    }
  });

  it('is told everything that is wrong with its parameters at once', async () => {
    for (const method of methods) {
      if (method.parameters.additionalProperties !== false || method.parameters.allOf) continue;
      const { status, errors = {} } = await bench.send(method.method, pathOf(method), EXTRA);
      const wanted = [...missing(method), 'zzextra'];
      expect(
        [status, wanted.filter((name) => errors[name] === undefined)],
        `${method.method} ${method.path}`,
      ).toEqual([400, []]);
    }
  });

  it('changes nothing while it is refused', () => {
    expect(bench.bugs).toEqual([]);
    expect(bench.pve.db.tasks.size).toBe(0);
    expect(bench.pve.db.vms.size).toBe(0);
  });
});
