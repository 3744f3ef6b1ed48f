import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configDocs } from './docs.js';
import { configJsonSchema, type JsonSchema } from './json-schema.js';

describe('docs/config.md', () => {
  it('is what the schema says (npx tsx scripts/generate-config-docs.ts)', () => {
    const onDisk = readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8');
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
