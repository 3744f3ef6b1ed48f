import { describe, expect, it } from 'vitest';
import { asStored, assertWritable } from './option-schema.js';

describe("a VM's config file", () => {
  it('takes fewer forms of a number than the API', () => {
    expect(() => assertWritable({ cpulimit: '0.5', cores: '2' })).not.toThrow();
    for (const [key, value] of [
      ['cpulimit', '.5'],
      ['cpulimit', '1e1'],
      ['cores', '+2'],
    ] as const) {
      expect(() => assertWritable({ [key]: value })).toThrow(
        `unable to parse value of '${key}' - type check`,
      );
    }
  });

  it('has one line per option, but for the description', () => {
    expect(() => assertWritable({ description: 'a\nb' })).not.toThrow();
    expect(() => assertWritable({ searchdomain: 'a\nb' })).toThrow('property contains a line feed');
  });

  it('holds values of their format', () => {
    expect(() => assertWritable({ net0: '' })).toThrow(
      "unable to parse value of 'net0' - format error\nmodel: property is missing and it is not optional",
    );
  });

  it('stores integers without leading zeros and leaves texts alone', () => {
    expect([asStored('cores', '02'), asStored('cores', '0'), asStored('name', '007')]).toEqual([
      '2',
      '0',
      '007',
    ]);
  });
});
