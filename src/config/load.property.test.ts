import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { validConfigFile } from '../../test/fixtures/config/valid-config.js';
import type { Config } from './config.js';
import { formatDiagnostic } from './diagnostics.js';
import { loadConfig, resolveConfig } from './load.js';

function load(file: unknown): Config {
  const { config, diagnostics } = loadConfig({
    path: 'x.yaml',
    text: stringify(file),
    readText: () => undefined,
  });
  return config ?? expect.fail(diagnostics.map((d) => formatDiagnostic(d)).join('\n'));
}

const byName = <T extends { name: string }>(items: readonly T[]): Map<string, T> =>
  new Map(items.map((item) => [item.name, item]));

function shuffled(
  mapping: Record<string, unknown> | undefined,
  seed: readonly number[],
): Record<string, unknown> {
  const entries = Object.entries(mapping ?? {});
  const rank = new Map(entries.map(([key], i) => [key, seed[i % seed.length] ?? 0]));
  return Object.fromEntries(entries.sort(([a], [b]) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0)));
}

describe('loadConfig', () => {
  it('loads every valid config', () => {
    fc.assert(
      fc.property(validConfigFile, (file) => {
        load(file);
      }),
    );
  });

  it('does not care for the order of nodes, volumes and sections', () => {
    const seed = fc.array(fc.nat(), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(validConfigFile, seed, (file, order) => {
        const before = load(file);
        const nodes = shuffled(file.nodes, order);
        const volumes = shuffled(file.volumes, order);
        const after = load(shuffled({ ...file, nodes, volumes }, order));
        expect({ ...after, nodes: byName(after.nodes), volumes: byName(after.volumes) }).toEqual({
          ...before,
          nodes: byName(before.nodes),
          volumes: byName(before.volumes),
        });
      }),
    );
  });

  it('gives the same config for an object as for its text', () => {
    fc.assert(
      fc.property(validConfigFile, (file) => {
        const source = {
          raw: file,
          positionOf: () => ({ file: 'x', line: 1, column: 1 }),
          frameOf: () => '',
        };
        expect(resolveConfig(source, () => undefined).config).toEqual(load(file));
      }),
    );
  });

  it('never throws on a mangled config', () => {
    const junk = fc.oneof(fc.anything(), fc.constantFrom(null, '', 0, -1, [], {}, '10.0.0.1', 'auto', true));
    fc.assert(
      fc.property(validConfigFile, fc.nat(), junk, (file, where, value) => {
        const mangled = structuredClone(file);
        const slots = slotsOf(mangled);
        const [owner, key] = slots[where % slots.length] ?? expect.fail();
        Reflect.set(owner, key, value);
        const source = {
          raw: mangled,
          positionOf: () => ({ file: 'x', line: 1, column: 1 }),
          frameOf: () => '',
        };
        const { config, diagnostics } = resolveConfig(source, () => undefined);
        expect(config === undefined).toBe(diagnostics.some((d) => d.severity === 'error'));
      }),
      { numRuns: 200 },
    );
  });
});

function slotsOf(value: object): [object, string][] {
  return Object.entries(value).flatMap(([key, inner]) => [
    [value, key] as [object, string],
    ...(typeof inner === 'object' && inner !== null ? slotsOf(inner) : []),
  ]);
}
