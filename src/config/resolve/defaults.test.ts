/** The default that editors and docs show for a key is the one that holds: writing it changes nothing. */
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { z } from 'zod';
import { loadConfig } from '../load.js';
import { fileSchema } from '../schema/file.js';
import { machineKeys } from '../schema/machine.js';

const FILE: Section = {
  cluster: { name: 'pen', kubernetes: 'v1.36.0' },
  talos: { version: 'v1.14.1' },
  proxmox: { endpoint: 'https://pve1', cluster: 'lab', token: 'env:TOKEN' },
  network: { subnet: '10.0.0.0/24', gateway: '10.0.0.1' },
  defaults: { all: {} },
  nodes: {
    cp: { role: 'controlplane', host: 'pve1', ip: '10.0.0.10', vmid: 110 },
    work: { role: 'worker', host: 'pve1', ip: '10.0.0.20', vmid: 120 },
  },
  volumes: {
    media: { type: 'disk', size: '1GiB' },
    notes: { type: 'partition', size: '1GiB' },
    logs: { type: 'directory' },
    wiki: { type: 'proxmox-csi', size: '1GiB', host: 'pve1' },
  },
  kubernetes: {
    cilium: { hubble: true },
    gatewayApi: { channel: 'standard' },
    csi: { storageClasses: { fast: { storage: 'local-zfs' } } },
  },
  policy: { drain: {}, keep: {}, overcommit: {} },
};

interface Section {
  [key: string]: unknown;
}

function load(file: Section) {
  const { config, diagnostics } = loadConfig({
    path: 'x.yaml',
    text: stringify(file),
    readText: () => undefined,
  });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return config;
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The file with one more key, all other sections as they are. */
function withKey(file: Section, [first = '', ...rest]: readonly string[], value: unknown): Section {
  const below = file[first];
  return {
    ...file,
    [first]: rest.length === 0 ? value : withKey(isSection(below) ? below : {}, rest, value),
  };
}

/** Schemas that a value of oxherd.yaml may have, without what makes them optional or one of several. */
function objectsIn(schema: unknown): z.ZodObject[] {
  if (schema instanceof z.ZodObject) return [schema];
  if (schema instanceof z.ZodExactOptional) return objectsIn(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(objectsIn);
  return [];
}

/** Every key with a default below what oxherd.yaml has. */
function defaultsIn(
  schema: unknown,
  values: unknown,
  path: readonly string[],
): [string, readonly string[], unknown][] {
  if (!isSection(values)) return [];
  const named = schema instanceof z.ZodExactOptional ? schema.unwrap() : schema;
  if (named instanceof z.ZodRecord)
    return Object.entries(values).flatMap(([key, value]) =>
      defaultsIn(named.valueType, value, [...path, key]),
    );
  const fitting = objectsIn(named).filter((object) => object.safeParse(values).success);
  return fitting.slice(0, 1).flatMap((object) =>
    Object.entries(object.shape).flatMap(([key, below]): [string, readonly string[], unknown][] => {
      const byDefault = below instanceof z.ZodType ? below.meta()?.byDefault : undefined;
      const here = [...path, key];
      const own: [string, readonly string[], unknown][] =
        byDefault === undefined || key in values ? [] : [[here.join('.'), here, byDefault]];
      return [...own, ...defaultsIn(below, values[key], here)];
    }),
  );
}

const documented = Object.entries(fileSchema.shape)
  .filter(([key]) => key !== 'nodes' && key !== 'backup')
  .flatMap(([key, schema]) => defaultsIn(schema, FILE[key], [key]));

describe('the default', () => {
  const config = load(FILE);

  it('of every machine key and of most others is looked at', () => {
    const keys = documented.map(([name]) => name);
    for (const [key, schema] of Object.entries(machineKeys))
      if (schema.meta()?.byDefault !== undefined) expect(keys).toContain(`defaults.all.${key}`);
    for (const key of [
      'cluster.domain',
      'policy.drain.timeout',
      'volumes.wiki.format',
      'kubernetes.cilium.version',
    ])
      expect(keys).toContain(key);
  });

  it.each(documented)('of %s is the documented one', (_, path, byDefault) => {
    expect(load(withKey(FILE, path, byDefault))).toEqual(config);
  });
});
