import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { PveError } from '../api.js';
import { findRoute } from '../http/router.js';
import type { Fields } from './check.js';
import { readParameters } from './parameters.js';

const exchange = z.object({
  name: z.string(),
  method: z.string(),
  path: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  response: z.object({
    status: z.number(),
    body: z.object({ errors: z.record(z.string(), z.string()).optional() }).optional(),
  }),
});

const recorded = z
  .object({ exchanges: z.array(exchange) })
  .parse(
    JSON.parse(readFileSync('test/recordings/fixtures/proxmox/scenarios/invalid-params-create.json', 'utf8')),
  )
  .exchanges.filter((one) => one.method === 'POST');

function check(
  verb: string,
  path: string,
  sent: Fields,
  models: string[] = [],
): Record<string, string> | undefined {
  const route = findRoute(verb, path);
  if (!route) throw new Error(`no route ${verb} ${path}`);
  try {
    readParameters(route.method, { ...sent, ...route.variables }, (name) => models.includes(name));
    return undefined;
  } catch (error) {
    if (error instanceof PveError) return { ...error.errors };
    throw error;
  }
}

const create = (sent: Fields) => check('POST', '/nodes/pve1/qemu', { vmid: '100', ...sent });

describe('parameters, as the recordings refuse them', () => {
  it.each(recorded.map((one) => [one.name, one] as const))('%s', (_, one) => {
    const sent = Object.fromEntries(
      Object.entries(one.params ?? {}).map(([key, value]) => [key, String(value)]),
    );
    expect(check(one.method, one.path, sent)).toEqual(one.response.body?.errors);
  });
});

describe('parameters', () => {
  it('gives numbers for integers and booleans, text for the rest', () => {
    const route = findRoute('POST', '/nodes/pve1/qemu');
    const read =
      route &&
      readParameters(
        route.method,
        { node: 'pve1', vmid: '100', onboot: '1', memory: '2048', cores: '4' },
        () => false,
      );
    expect({ ...read?.values }).toEqual({ node: 'pve1', vmid: 100, onboot: 1, memory: '2048', cores: 4 });
  });

  it('knows a device of each index and no more', () => {
    expect(create({ scsi30: 'local-zfs:1' })).toBeUndefined();
    expect(Object.keys(create({ scsi31: 'local-zfs:1' }) ?? {})).toEqual(['scsi31']);
    expect(Object.keys(create({ scsi01: 'local-zfs:1' }) ?? {})).toEqual(['scsi01']);
  });

  it('does not check a key that came without a value, but misses it if it is needed', () => {
    expect(create({ tags: null, cores: null })).toBeUndefined();
    expect(check('POST', '/access/ticket', { username: 'a@pam', password: null })).toEqual({
      password: 'property is missing and it is not optional',
    });
  });

  it('joins several values of a list and makes an array of one', () => {
    expect(check('POST', '/access/roles', { roleid: 'X', privs: ['VM.Audit', 'VM.Fly'] })).toEqual({
      privs: "invalid format - invalid privilege 'VM.Fly'\n",
    });
    expect(check('POST', '/cluster/mapping/pci', { id: 'gpu', map: 'node=pve1,id=10de:1234' })).toEqual({
      'map[0]': 'invalid format - format error\nmap[0].path: property is missing and it is not optional\n',
    });
  });

  it('takes JSON booleans where booleans are meant, and nowhere else', () => {
    expect(create({ onboot: true })).toBeUndefined();
    expect(create({ cores: true })).toEqual({
      cores: "type check ('integer') failed - got JSON::PP::Boolean",
    });
    expect(create({ cores: 1.5 })).toEqual({ cores: "type check ('integer') failed - got '1.5'" });
  });

  it('names the parameter that another one needs', () => {
    expect(check('PUT', '/access/roles/X', { append: '1' })).toEqual({
      privs: "missing property required by 'append'",
    });
  });

  it('asks the cluster for custom CPU models', () => {
    const sent = { vmid: '100', cpu: 'custom-lab' };
    expect(check('POST', '/nodes/pve1/qemu', sent, ['lab'])).toBeUndefined();
    expect(check('POST', '/nodes/pve1/qemu', sent)).toEqual({
      cpu: "invalid format - Custom cputype 'lab' not found\n",
    });
  });

  it('reads a long OCI reference once', () => {
    const path = '/nodes/pve1/query-oci-repo-tags';
    const [long, dashes] = ['a'.repeat(5_000), `a${'-'.repeat(5_000)}`];
    expect(check('GET', path, { reference: `registry.example.com:5000/${long}/x__y-z` })).toBeUndefined();
    for (const reference of [`${long}!`, `${dashes}!`, `${long}/${long}!`]) {
      expect(check('GET', path, { reference })).toEqual({
        reference: 'value does not match the regex pattern',
      });
    }
  });

  it('tells variants of an object apart by their type', () => {
    const rule = { rule: 'r1', type: 'node-affinity', nodes: 'pve1', resources: 'vm:100' };
    expect(check('POST', '/cluster/ha/rules', rule)).toBeUndefined();
    expect(check('POST', '/cluster/ha/rules', { ...rule, affinity: 'positive' })).toEqual({
      affinity: 'property is not defined in schema and the schema does not allow additional properties',
    });
  });

  it('refuses unknown names whatever they are, and never crashes', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value, { noNullPrototype: false }), (sent) => {
        const errors = create(sent) ?? {};
        for (const key of Object.keys(sent)) {
          if (!/^[a-z][a-z_-]*\d*$/i.test(key)) expect(Object.keys(errors)).toContain(key || '_root');
        }
      }),
    );
  });
});
