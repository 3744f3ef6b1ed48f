/** `oxherd upgrade`: the path, the file as its memory, refusals, and going on after an interruption. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliFolder, type CliResult } from '../support/cli.js';

const FILE = `# one control plane, one worker
cluster: { name: small, kubernetes: v1.34.0 } # renovate: kubernetes
talos: {version: "v1.12.4"}   # renovate: talos
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }
  work-1: { role: worker, host: pve1, ip: 10.20.30.51, vmid: 151 }
policy: { outage: allow }
`;

const withVersions = (talos: string, kubernetes: string) =>
  FILE.replace('v1.12.4', talos).replace('v1.34.0', kubernetes);

let built: CliFolder;
beforeAll(async () => {
  built = CliFolder.make(FILE);
  expect(await built.lab('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
});
afterAll(() => built.remove());

const fileOf = (folder: CliFolder) => readFileSync(join(folder.path, 'oxherd.yaml'), 'utf8');

async function inCopy(work: (folder: CliFolder) => Promise<void>): Promise<void> {
  const folder = built.copy();
  try {
    await work(folder);
  } finally {
    folder.remove();
  }
}

function jsonLines({ stdout }: CliResult): Record<string, unknown>[] {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

describe('a legal goal', () => {
  it('is reached hop by hop, over every minor, and the file changes in its versions alone', () =>
    inCopy(async (folder) => {
      const result = await folder.lab(
        'upgrade',
        '--write',
        '--talos',
        'v1.14.1',
        '--kubernetes',
        'v1.36.0',
        '--yes',
      );
      expect(result).toMatchObject({ exit: 0 });
      expect(result.stdout).toContain(
        [
          'From Talos v1.12.4 with Kubernetes v1.34.0 to Talos v1.14.1 with Kubernetes v1.36.0: 4 hops.',
          '  1. Talos v1.12.4 → v1.13.9',
          '  2. Talos v1.13.9 → v1.14.1',
          '  3. Kubernetes v1.34.0 → v1.35.0',
          '  4. Kubernetes v1.35.0 → v1.36.0',
        ].join('\n'),
      );
      expect(result.stdout.trim().split('\n').at(-1)).toBe(
        'Upgraded to Talos v1.14.1 with Kubernetes v1.36.0.',
      );
      // Twice, once for each Talos hop, by the report at the end of each.
      expect(result.stdout.match(/^ {2}work-1 was unavailable for \d/gm)).toHaveLength(2);
      expect(fileOf(folder)).toBe(withVersions('v1.14.1', 'v1.36.0'));

      const plan = await folder.lab('plan', '--exit-code');
      expect(plan).toMatchObject({ exit: 0 });
      const again = await folder.lab('upgrade', '--json');
      expect(jsonLines(again)).toEqual([
        { type: 'upgrade-done', talos: 'v1.14.1', kubernetes: 'v1.36.0', changed: false },
      ]);
      const runs: { command: string; outcome: string }[] = JSON.parse(
        (await folder.run(['runs', 'list', '--json'])).stdout,
      );
      expect(runs.map(({ command, outcome }) => `${command}: ${outcome}`)).toEqual([
        ...Array(4).fill('oxherd upgrade: done'),
        'oxherd apply: done',
      ]);
    }));

  it('is asked for before anything is touched', async () => {
    const result = await built.lab('upgrade', '--write', '--talos', 'v1.13.9');
    expect(result).toMatchObject({ exit: 1 });
    expect(result.stderr).toMatch(/Go this way\? Cannot ask/);
    expect(fileOf(built)).toBe(FILE);
  });

  it('that was interrupted is gone on to by the next `upgrade`, without naming it again', () =>
    inCopy(async (folder) => {
      const interrupt = new AbortController();
      const upgrade = folder.run(
        ['--lab', 'upgrade', '--write', '--talos', 'v1.14.1', '--via', 'talos:v1.13.8', '--yes'],
        {
          signal: interrupt.signal,
        },
      );
      while (fileOf(folder) === FILE) await delay(10);
      interrupt.abort();
      expect(await upgrade).toMatchObject({ exit: 130 });
      expect(fileOf(folder)).toBe(withVersions('v1.13.8', 'v1.34.0'));

      const next = await folder.lab('upgrade', '--write', '--json', '--yes');
      expect(next).toMatchObject({ exit: 0 });
      const lines = jsonLines(next);
      expect(lines[0]).toMatchObject({
        type: 'upgrade-path',
        to: { talos: 'v1.14.1', kubernetes: 'v1.34.0' },
        hops: [{ to: 'v1.13.8' }, { to: 'v1.14.1' }],
      });
      expect(lines.at(-1)).toMatchObject({ type: 'upgrade-done', talos: 'v1.14.1', changed: true });
      expect(fileOf(folder)).toBe(withVersions('v1.14.1', 'v1.34.0'));
      expect(await folder.lab('plan', '--exit-code')).toMatchObject({ exit: 0 });
    }));
});

describe('a goal that cannot be', () => {
  it.each([
    [
      ['--talos', 'v1.11.5'],
      /error Talos v1\.11\.5 is older than v1\.12\.4/,
      /next {2}stay with the versions there are/,
    ],
    [
      ['--kubernetes', 'v1.36.0'],
      /error Talos v1\.12\.4 runs Kubernetes v1\.30 to v1\.35, not v1\.36\.0/,
      /this is possible: oxherd (--lab )?upgrade --talos v1\.13\.9 --kubernetes v1\.36\.0/,
    ],
    [
      ['--talos', 'v1.99.0'],
      /error Talos v1\.99 is not known/,
      /this is possible: oxherd (--lab )?upgrade --talos v1\.14\.1 --kubernetes v1\.34\.0/,
    ],
    [['--talos', 'latest'], /error --talos latest is not a version/, /write it as v1\.14\.1/],
    [['--via', 'v1.13.8'], /error --via v1\.13\.8 is not a release/, /talos:v1\.13\.8/],
  ])('%j is refused with what could be', async (flags, error, advice) => {
    const result = await built.lab('upgrade', '--write', ...flags, '--yes');
    expect(result).toMatchObject({ exit: 1 });
    expect(result.stderr).toMatch(error);
    expect(result.stderr).toMatch(advice);
    expect(fileOf(built)).toBe(FILE);
  });

  it('is any, where there is no cluster yet', async () => {
    const folder = CliFolder.make(FILE);
    try {
      const result = await folder.lab('upgrade', '--write', '--talos', 'v1.14.1', '--yes');
      expect(result).toMatchObject({ exit: 1 });
      expect(result.stderr).toMatch(/no machine of the cluster says which versions it runs/);
      expect(fileOf(folder)).toBe(FILE);
    } finally {
      folder.remove();
    }
  });
});
