/** A cluster on a lab that serves: what it was built with, where it listens, and what it tells nobody. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CliFolder, type CliResult, type SpawnedCli } from '../support/cli.js';
import { smallCluster } from '../support/configs.js';
import { listeningSockets } from '../support/listening.js';

const readySchema = z.object({
  endpoint: z.string(),
  endpoints: z.record(z.string(), z.string()),
  token: z.string(),
  rootTicket: z.string(),
  rootCsrf: z.string(),
});

let folder: CliFolder;
let served: SpawnedCli;
let ready: z.infer<typeof readySchema>;
const results: CliResult[] = [];

async function run(...args: string[]): Promise<CliResult> {
  const result = await folder.spawn(args).ended;
  results.push(result);
  return result;
}

beforeAll(async () => {
  folder = CliFolder.make(smallCluster({ controlPlanes: 1, workers: 2, hosts: ['alpha', 'beta'] }));
  served = folder.spawn(['lab', 'serve', '--port', '0', '--speed', '1000', '--ready-file', 'ready.json']);
  const path = join(folder.path, 'ready.json');
  for (let tries = 0; tries < 400 && !existsSync(path); tries += 1) await wait(50);
  ready = readySchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}, 60_000);

afterAll(async () => {
  if (served.child.exitCode === null) served.child.kill('SIGKILL');
  await served.ended;
  folder.remove();
});

describe('a lab that serves with a config', () => {
  it('has the hosts that the config names', () => {
    expect(Object.keys(ready.endpoints)).toEqual(['alpha', 'beta']);
  });

  it('is where --lab commands of its folder work', async () => {
    expect(await run('--lab', 'apply', '--yes')).toMatchObject({ exit: 0 });
    expect(await run('--lab', 'plan', '--exit-code')).toMatchObject({ exit: 0 });
    expect((await run('--lab', 'status', '--json')).stdout).toContain('"healthy": true');
  });

  it.runIf(process.platform === 'linux')('listens on loopback only, machines included', () => {
    const sockets = listeningSockets(served.child.pid ?? 0);
    expect(sockets.filter((address) => !address.startsWith('127.'))).toEqual([]);
    // The API of each host and of each machine, and the door for other processes.
    expect(sockets.length).toBeGreaterThanOrEqual(2 + 3 + 1);
    expect(sockets.some((address) => address.endsWith(':50000'))).toBe(true);
  });

  it('shows tokens and tickets to no one', async () => {
    await run('--lab', 'doctor');
    await run('--lab', 'volumes', 'list', '--json');
    const secrets = [ready.token.split('=')[1] ?? '', ready.rootTicket, ready.rootCsrf];
    const shown = (text: string) => secrets.filter((secret) => secret === '' || text.includes(secret));

    if (process.platform === 'linux') {
      const own = served.child.pid ?? 0;
      expect(shown(readFileSync(`/proc/${own}/cmdline`, 'utf8'))).toEqual([]);
    }
    served.child.kill('SIGINT');
    const { exit, stdout, stderr } = await served.ended;
    expect(exit).toBe(0);
    for (const text of [stdout, stderr, ...results.flatMap((each) => [each.stdout, each.stderr])])
      expect(shown(text)).toEqual([]);

    // On disk in two files that are there to be read by their owner: the one asked for, and the lab's own token.
    const known = ['ready.json', '.oxherd/lab/token'];
    const files = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(folder.path, name)).isFile(),
    );
    const holding = files.filter((name) => shown(readFileSync(join(folder.path, name), 'utf8')).length > 0);
    expect(holding.filter((name) => !known.includes(name))).toEqual([]);
    for (const name of known) expect(statSync(join(folder.path, name)).mode & 0o777).toBe(0o600);
  });
});
