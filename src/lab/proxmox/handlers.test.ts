import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { METHODS } from './gen/schema.js';
import { HANDLERS, missingMethods } from './handlers.js';
import { EXTRA_METHODS } from './http/extra-methods.js';

describe('handlers', () => {
  it('are for methods that exist', () => {
    const known = new Set([...METHODS, ...EXTRA_METHODS].map(({ method, path }) => `${method} ${path}`));
    expect(Object.keys(HANDLERS).filter((key) => !known.has(key))).toEqual([]);
  });

  it('that are missing are listed in docs/lab-differences.md, and no others', () => {
    const page = readFileSync('docs/lab-differences.md', 'utf8');
    const [, list = ''] =
      /<!-- methods without a handler: start -->([\s\S]*)<!-- methods without a handler: end -->/.exec(
        page,
      ) ?? [];
    const listed = [...list.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/g)].map((match) => match[1]);
    expect(listed.sort()).toEqual(missingMethods().sort());
  });
});
