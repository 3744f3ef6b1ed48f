import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { configDocs } from './docs.js';
import { configJsonSchema, type JsonSchema } from './json-schema.js';

describe('docs/config.md', () => {
  it('is what the schema says (npx tsx scripts/generate-config-docs.ts)', () => {
    const onDisk = readFileSync(new URL('../../../docs/config.md', import.meta.url), 'utf8');
    expect(onDisk).toBe(configDocs(configJsonSchema()));
  });
});

describe('the JSON schema', () => {
  it('describes every key', () => {
    const bare: string[] = [];
    const visit = (schema: JsonSchema, path: string): void => {
      for (const [key, value] of Object.entries(schema.properties ?? {})) {
        if (typeof value !== 'object') continue;
        if (!value.description) bare.push(`${path}.${key}`);
        visit(value, `${path}.${key}`);
      }
      for (const inner of [
        schema.items,
        schema.additionalProperties,
        ...(schema.anyOf ?? []),
        ...(schema.oneOf ?? []),
      ]) {
        if (typeof inner === 'object' && !Array.isArray(inner)) visit(inner, path);
      }
    };
    visit(configJsonSchema(), '');
    expect(bare).toEqual([]);
  });

  it('accepts the examples, and refuses what the loader refuses by shape', () => {
    const editor = z.fromJSONSchema(configJsonSchema() as z.core.JSONSchema.JSONSchema);
    const examples = new URL('../../../examples/', import.meta.url);
    for (const name of readdirSync(examples)) {
      const file: unknown = parse(readFileSync(new URL(`${name}/oxherd.yaml`, examples), 'utf8'));
      expect(editor.safeParse(file).error).toBeUndefined();
      expect(editor.safeParse({ ...(file as object), extra: 1 }).success).toBe(false);
      expect(editor.safeParse({ ...(file as object), network: {} }).success).toBe(false);
      expect(
        editor.safeParse({ ...(file as object), defaults: { all: { tags: ['Upper Case'] } } }).success,
      ).toBe(false);
    }
  });

  it('keeps defaults and examples of values that are parsed', () => {
    const { properties } = configJsonSchema();
    const network = properties?.network;
    expect(network).toMatchObject({
      properties: {
        subnet: { type: 'string', examples: ['10.20.30.0/24'] },
        bridge: { type: 'string', default: 'vmbr0' },
      },
      required: ['subnet', 'gateway'],
      additionalProperties: false,
    });
  });
});
