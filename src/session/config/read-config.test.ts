/** Files that a config names are read up to their limit. */
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { smallFile } from '../../../test/support/small-file.js';
import { readConfig } from './read-config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-config-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function big(name: string, size: number): void {
  const file = openSync(join(folder, name), 'w');
  ftruncateSync(file, size);
  closeSync(file);
}

const read = (text: string) => {
  writeFileSync(join(folder, 'oxherd.yaml'), text);
  return readConfig({ cwd: folder, configPath: 'oxherd.yaml' });
};

const GB = 1_000_000_000;

describe('what a config names', () => {
  it.each([
    [
      'a patch',
      smallFile().replace(
        'talos: { version: v1.14.1 }',
        'talos: { version: v1.14.1, patches: { all: [big.yaml] } }',
      ),
    ],
    ['a patch of a node', smallFile({ worker: ', patches: [big.yaml]' })],
    ['a manifest', smallFile({ more: 'kubernetes: { manifests: [big.yaml] }\n' })],
    [
      'a schematic',
      smallFile().replace('talos: { version: v1.14.1 }', 'talos: { version: v1.14.1, schematic: big.yaml }'),
    ],
  ])('%s of 4 GB is refused before it is read', (_, text) => {
    big('big.yaml', 4 * GB);
    const before = process.memoryUsage().rss;
    expect(() => read(text)).toThrow(/big\.yaml is larger than 16 MiB/);
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2);
    writeFileSync(join(folder, 'big.yaml'), '');
    expect(() => read(text)).not.toThrow();
  });

  it('the config itself too', () => {
    big('oxherd.yaml', 4 * GB);
    expect(() => readConfig({ cwd: folder, configPath: 'oxherd.yaml' })).toThrow('too large for a config');
  });
});
