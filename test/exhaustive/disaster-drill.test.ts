/** docs/disaster-drill.md, run as it stands there, on the example that it names. */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFolder } from '../support/cli.js';
import { EXAMPLES } from '../support/examples.js';

const PAGE = readFileSync(fileURLToPath(new URL('../../docs/disaster-drill.md', import.meta.url)), 'utf8');
const commands = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
  .flatMap((block) => (block[1] ?? '').trimEnd().split('\n'))
  .map((line) => {
    const [text = '', comment = ''] = line.split(/\s+# /);
    return { text, exit: Number(/exits (\d+)/.exec(comment)?.[1] ?? 0) };
  });

describe('the disaster-recovery drill', () => {
  let folder: CliFolder;
  beforeAll(() => {
    folder = CliFolder.make();
    cpSync(join(EXAMPLES, 'homelab'), folder.path, { recursive: true });
  });
  afterAll(() => folder.remove());

  it('has commands', () => expect(commands.length).toBeGreaterThan(15));

  it.each(commands)('$text', async ({ text, exit }) => {
    const [program, ...args] = text.split(' ');
    if (program === 'rm') return rmSync(join(folder.path, args[0] ?? ''));
    expect(program).toBe('oxherd');
    const result = await folder.run(args);
    expect(result.exit, `${result.stdout}\n${result.stderr}`).toBe(exit);
    if (text.endsWith(' status') && exit === 0) expect(result.stdout).toContain('Healthy');
  });
});
