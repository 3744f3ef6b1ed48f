import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { issueText } from './issue-text.js';

const schema = z.object({
  name: z.string(),
  port: z.number().max(9),
  part: z.object({ list: z.array(z.string()) }),
});
const told = (value: unknown) => schema.safeParse(value).error?.issues.map((issue) => issueText(issue));

describe('what a schema refuses', () => {
  it('is told in words', () => {
    expect(told({ port: Number.NaN, part: { list: 3 } })).toEqual([
      'name is missing',
      'port is not a number',
      'part.list is not an array',
    ]);
    expect(told([])).toEqual(['the file is not an object']);
  });

  it('keeps the words of other rules', () => {
    expect(told({ name: 'a', port: 10, part: { list: [] } })).toEqual([
      'port: Too big: expected number to be <=9',
    ]);
  });
});
