import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeFolder, readCode, writeCode } from './kept-code.js';
import { partsWith } from './load-parts.js';

let home: string;
let folder: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'oxherd-code-'));
  folder = join(home, 'oxherd/code-test');
});
afterEach(() => {
  chmodSync(home, 0o700);
  rmSync(home, { recursive: true, force: true });
});

const source = Buffer.from('the source');
const data = Buffer.from('what it was compiled to');

describe('compiled code', () => {
  it('is found again for the same source alone', () => {
    writeCode(folder, 'part', { source, data });
    expect(readCode(folder, 'part', source)).toEqual(data);
    expect(readCode(folder, 'part', Buffer.from('the sourcE'))).toBeUndefined();
    expect(readCode(folder, 'other', source)).toBeUndefined();
  });

  it('is passed over where it is damaged or others may have written it', () => {
    const path = join(folder, 'part');
    writeCode(folder, 'part', { source, data });
    const whole = readFileSync(path);
    for (const bytes of [whole.subarray(0, 40), whole.subarray(0, 10), Buffer.alloc(0), Buffer.alloc(80)]) {
      writeFileSync(path, bytes);
      expect(readCode(folder, 'part', source)).toBeUndefined();
    }
    writeFileSync(path, whole);
    expect(readCode(folder, 'part', source)).toEqual(data);
    chmodSync(path, 0o666);
    expect(readCode(folder, 'part', source)).toBeUndefined();
  });

  it('is not kept where nothing can be written, and no error', () => {
    writeFileSync(join(home, 'oxherd'), 'a file where the folder would be');
    writeCode(folder, 'part', { source, data });
    expect(readCode(folder, 'part', source)).toBeUndefined();
  });

  it('of three other programs stays, the newest', () => {
    for (const age of [1, 2, 3, 4, 5]) {
      const path = join(home, `oxherd/code-${age}`);
      mkdirSync(path, { recursive: true });
      utimesSync(path, 1_000 - age, 1_000 - age);
    }
    writeCode(folder, 'part', { source, data });
    expect(readdirSync(join(home, 'oxherd')).sort()).toEqual(['code-1', 'code-2', 'code-3', 'code-test']);
  });

  it('lies in the cache folder of the user, unless Node is told to keep none', () => {
    const here = codeFolder({ XDG_CACHE_HOME: '/c' }, source);
    expect(here).toMatch(/^\/c\/oxherd\/code-[0-9a-f]{12}-v\d+/);
    expect(codeFolder({ XDG_CACHE_HOME: '/c' }, data)).not.toBe(here);
    expect(codeFolder({ NODE_DISABLE_COMPILE_CACHE: '1' }, source)).toBeUndefined();
  });
});

describe('parts', () => {
  const write = (name: string, text: string) => writeFileSync(join(home, name), text);
  const load = (use = 'plan') => {
    const parts = partsWith(folder, use);
    const found = parts.load(join(home, 'main.cjs'));
    parts.keep();
    return found;
  };

  it('require one another and packages, with and without what was kept', () => {
    write('one.cjs', "exports.join = require('node:path').join; exports.count = (exports.count ?? 0) + 1;");
    write(
      'main.cjs',
      "require('./one.cjs'); const { join, count } = require('./one.cjs'); exports.at = join('a', 'b') + count;",
    );
    expect(load()).toEqual({ at: 'a/b1' });
    expect(readCode(folder, 'main.cjs', readFileSync(join(home, 'main.cjs')))).toBeDefined();
    expect(load()).toEqual({ at: 'a/b1' });
  });

  it('import packages late, with and without what was kept', async () => {
    write('main.cjs', "exports.late = () => require.import('node:path').then(({ join }) => join('a', 'b'));");
    for (let count = 0; count < 2; count += 1) {
      const { late } = load() as { late: () => Promise<string> };
      expect(await late()).toBe('a/b');
    }
  });

  it('hand over what they are where they lie there compressed', () => {
    write('main.cjs', "module._compile('exports.value = 1; exports.file = __filename;', __filename);");
    for (let count = 0; count < 2; count += 1)
      expect(load()).toEqual({ value: 1, file: join(home, 'main.cjs') });
  });

  it('are those that lie there now, whatever was kept', () => {
    write('main.cjs', 'exports.value = 1;');
    expect(load()).toEqual({ value: 1 });
    // Of the same length: that is all that V8 itself would look at.
    write('main.cjs', 'exports.value = 2;');
    expect(load()).toEqual({ value: 2 });
    expect(load()).toEqual({ value: 2 });
  });

  it('are kept again with every new use, which calls other functions', () => {
    write('main.cjs', 'exports.called = () => 1 + 1; exports.other = () => 2 + 2;');
    const main = readFileSync(join(home, 'main.cjs'));
    const use = (name: string, call: 'called' | 'other') => {
      const parts = partsWith(folder, name);
      const found = parts.load(join(home, 'main.cjs')) as Record<typeof call, () => number>;
      found[call]();
      parts.keep();
      return readCode(folder, 'main.cjs', main)?.length ?? 0;
    };
    const first = use('plan', 'called');
    expect(use('plan', 'other')).toBe(first);
    const second = use('apply', 'other');
    expect(second).toBeGreaterThan(first);
    expect(use('apply', 'other')).toBe(second);
  });

  it('are compiled where what was kept is none of this V8', () => {
    write('main.cjs', 'exports.value = 1;');
    writeCode(folder, 'main.cjs', { source: readFileSync(join(home, 'main.cjs')), data: Buffer.alloc(100) });
    expect(load()).toEqual({ value: 1 });
    expect(load()).toEqual({ value: 1 });
  });
});
