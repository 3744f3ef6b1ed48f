import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CHANGE_EFFECTS, effectOf } from './change-effects.js';
import { changesDocs, GENERATED } from './changes-docs.js';
import { configKeys } from './docs.js';
import { configJsonSchema } from './json-schema.js';

const keys = configKeys(configJsonSchema()).map(({ path }) => path);

describe('docs/changes.md', () => {
  it('says of every key of the config what changing it does', () => {
    expect(keys.length).toBeGreaterThan(200);
    expect(keys.filter((key) => effectOf(key) === undefined)).toEqual([]);
  });

  it('says nothing of keys that are not there', () => {
    const used = (entry: string) =>
      keys.some(
        (key) =>
          key === entry ||
          (entry.endsWith('.*') && key.slice(0, key.lastIndexOf('.')) === entry.slice(0, -2)),
      );
    expect(Object.keys(CHANGE_EFFECTS).filter((entry) => !used(entry))).toEqual([]);
  });

  it('is what the schema and the table give: npm run generate', () => {
    const text = readFileSync(new URL('../../../docs/changes.md', import.meta.url), 'utf8');
    expect(text.slice(text.indexOf(GENERATED))).toBe(changesDocs(configJsonSchema()));
  });
});
