/** Every example that comes with oxherd becomes a healthy cluster in the lab, and then there is nothing to do. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CliFolder, ended } from '../../support/cli.js';
import { EXAMPLES, exampleNames } from '../../support/examples.js';
import { chosen } from '../../support/shard.js';

describe('an example', () => {
  let folder: CliFolder | undefined;
  afterEach(() => folder?.remove());

  it.each(chosen(exampleNames(), { test: 1 }))('%s ends healthy, and stays as it is', async (name) => {
    folder = CliFolder.make();
    cpSync(join(EXAMPLES, name), folder.path, { recursive: true });
    const made = folder;
    // What an example reads from the environment.
    const lab = (...args: string[]) => made.run(['--lab', ...args], { env: { OXHERD_GIT_TOKEN: 'token' } });
    ended(await lab('apply', '--yes'));
    expect(ended(await lab('plan', '--exit-code'))).toContain('No changes');
    expect(ended(await lab('status'))).toContain('Healthy');
  });
});
