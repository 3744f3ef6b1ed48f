import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { amount, chosen, remembered, seed, series, shard } from './support/shard.js';

const CASES = Array.from({ length: 103 }, (_, index) => index);
afterEach(() => vi.unstubAllEnvs());

describe('the cases of a tier', () => {
  it('are the same sample in every npm test, spread over all of them', () => {
    const first = chosen(CASES, { test: 10 }, 'test');
    expect(first).toHaveLength(10);
    expect(first).toEqual(chosen(CASES, { test: 10 }, 'test'));
    expect([...first].sort((a, b) => a - b)).toEqual(first);
    expect(first.filter((one) => one < 52).length).toBe(5);
    expect(seed('test')).toBe(seed('test'));
  });

  it('are at most so many in test:exhaustive', () => {
    expect(chosen(CASES, { exhaustive: 20 }, 'exhaustive').length).toBeLessThanOrEqual(20);
    expect(chosen(CASES, {}, 'exhaustive')).toEqual(CASES);
    expect(series({ exhaustive: 4 }, 'exhaustive')).toMatchObject({ step: 4 });
  });

  it('are each in one shard of test:full', () => {
    const taken = [1, 2, 3, 4].flatMap((part) => {
      vi.stubEnv('OXHERD_SHARD', `${part}/4`);
      expect(amount({ test: 1, exhaustive: 2, full: 1000 }, 'full')).toBe(250);
      return chosen(CASES, { test: 3, exhaustive: 5 }, 'full');
    });
    expect(taken.sort((a, b) => a - b)).toEqual(CASES);
  });

  it('refuse a shard that cannot be', () => {
    for (const text of ['0/4', '5/4', 'x', '1/0']) expect(() => shard(text), text).toThrow('write 2/4');
  });
});

describe('a case of test:full', () => {
  it('is run again only where it had problems', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oxherd-shard-'));
    vi.stubEnv('OXHERD_TIER', 'full');
    vi.stubEnv('OXHERD_TEST_MEMORY', join(folder, 'x.cases'));
    const runs: string[] = [];
    const run = (key: string, problems: string[]) =>
      remembered(key, async () => {
        runs.push(key);
        return problems;
      });
    for (const _ of [1, 2]) {
      expect(await run('good "one"\n', [])).toEqual([]);
      expect(await run('bad', ['no'])).toEqual(['no']);
    }
    expect(runs).toEqual(['good "one"\n', 'bad', 'bad']);
    expect(readFileSync(join(folder, 'x.cases'), 'utf8')).toBe('["good \\"one\\"\\n","passed"]\n');
    rmSync(folder, { recursive: true });
  });
});

describe('a case outside test:full', () => {
  it('is run each time', async () => {
    let runs = 0;
    const run = async () => {
      runs += 1;
      return [];
    };
    await remembered('shard.test', run);
    await remembered('shard.test', run);
    expect(runs).toBe(2);
  });
});
