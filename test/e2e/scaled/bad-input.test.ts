/** What is wrong in the file or with Proxmox is said, with what to do about it, and nothing is lost by it. */
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { startLab } from '../../../src/lab/index.js';
import { builtFolder } from '../../support/built-folder.js';
import { CliFolder, ended, type LabAccess } from '../../support/cli.js';
import { disksOf, volumeProblems } from '../../support/disks.js';
import { chosen, tier } from '../../support/shard.js';
import { DATA_VOLUME, type SmallFile, smallFile } from '../../support/small-file.js';

/** In `npm test` a few of them. */
const WHOLE = tier() !== 'test';

let built: CliFolder;
let disks: Map<string, string>;

beforeAll(async () => {
  built = await builtFolder(smallFile());
  disks = await built.withLab(async ({ lab }) => disksOf(lab));
});

/** The cluster as it was built, in a folder of the test's own. */
function folder(file?: SmallFile): CliFolder {
  const made = built.copy();
  onTestFinished(() => made.remove());
  if (file) made.config = smallFile(file);
  return made;
}

/** Every disk of the cluster is the volume it was. */
async function nothingIsLost(made: CliFolder): Promise<void> {
  await made.withLab(async ({ lab }) => {
    const now = disksOf(lab);
    expect(Object.fromEntries([...disks].map(([wwn]) => [wwn, now.get(wwn)]))).toEqual(
      Object.fromEntries(disks),
    );
    expect(volumeProblems(lab)).toEqual([]);
  });
}

const third = (more: string) => `work-2: { role: worker, host: pve1, ip: 10.20.30.52, vmid: 152${more} }`;

/** VM 152, and time for the cluster to hear of it. */
async function makeVm({ lab, hand }: LabAccess, host: string, options: { name: string; tags?: string }) {
  await hand.runTask(() => hand.createVm(host, 152, { memory: 512, ...options }));
  await lab.clock.sleep(15_000);
}

interface Case {
  readonly what: string;
  readonly file: SmallFile;
  readonly says: readonly string[];
  readonly byHand?: (access: LabAccess) => Promise<unknown>;
}

describe('a file that does not fit', () => {
  const cases: Case[] = [
    {
      what: 'unknown storage',
      file: { volumes: [DATA_VOLUME, 'more: { type: disk, size: 1GiB, storage: nowhere }'] },
      says: ['there is no storage nowhere on pve2', 'storages there: local, local-zfs'],
    },
    {
      what: 'unknown bridge',
      file: { nodes: [third(', bridge: vmbr7')] },
      says: ['there is no bridge vmbr7 on pve1; the VM would not start', 'bridges there: vmbr0'],
    },
    {
      what: 'unknown host',
      file: { nodes: [third('').replace('pve1', 'pve9')] },
      says: ['there is no Proxmox host pve9', 'hosts there are: pve1, pve2, pve3'],
    },
    {
      what: 'unknown mapping',
      file: { nodes: [third(', pci: [iGPU]')] },
      says: ['there is no PCI mapping iGPU', 'Resource Mappings'],
    },
    {
      what: 'a vmid that a foreign VM has',
      file: { nodes: [third('')] },
      byHand: (access) => makeVm(access, 'pve2', { name: 'nas' }),
      says: ['VM id 152 is taken: nas on pve2 is not part of this cluster', 'give node work-2 another vmid'],
    },
    {
      what: "another oxherd cluster's VM on our vmid",
      file: { nodes: [third('')] },
      byHand: (access) => makeVm(access, 'pve1', { name: 'blue', tags: 'oxherd-other-dev' }),
      says: ['blue on pve1 belongs to another oxherd cluster (tag oxherd-other-dev)'],
    },
    {
      what: 'a disk that shrinks',
      file: { volumes: ['data: { type: disk, size: 1GiB }'] },
      says: [
        'data of work-1 is 2GiB; oxherd.yaml says 1GiB, and a disk cannot shrink',
        'volumes accept-size',
      ],
    },
  ];

  it.each(chosen(cases, { test: 3 }))('$what', async ({ file, says, byHand }) => {
    const made = folder(file);
    if (byHand) await made.withLab(byHand);
    const plan = ended(await made.lab('plan', '--exit-code'), 1);
    for (const text of says) expect(plan).toContain(text);
    // A problem of one node leaves the plan of the others.
    expect(plan).toMatch(
      /Cannot apply: 1 problem to solve first\.|No changes on the other nodes; 1 problem\./,
    );
    const requests = ended(await made.lab('apply', '--yes'), 1);
    expect(requests).not.toMatch(/✓/);
    await nothingIsLost(made);
  });
});

describe('a connection that is not the right one', () => {
  const lab = async () => {
    const made = await startLab({ speed: 1_000 });
    onTestFinished(() => made.stop());
    return made;
  };

  it('wrong token', async () => {
    const { endpoint, fingerprint } = await lab();
    const made = CliFolder.make(
      smallFile({ proxmox: `endpoint: "${endpoint}", fingerprint: "${fingerprint}"` }),
    );
    onTestFinished(() => made.remove());
    const secret = '00000000-0000-4000-8000-00000000dead';
    const { exit, stdout, stderr } = await made.run(['plan'], {
      env: { OXHERD_PROXMOX_TOKEN: `root@pam!wrong=${secret}` },
    });
    expect(exit).toBe(1);
    expect(stderr).toMatch(/error .*token/i);
    expect(stderr).toMatch(/next /);
    expect(stdout + stderr).not.toContain(secret);
  });

  it('wrong fingerprint', async () => {
    const { endpoint, fingerprint, token } = await lab();
    const wrong = fingerprint.replace(/^../, fingerprint.startsWith('00') ? '11' : '00');
    const made = CliFolder.make(smallFile({ proxmox: `endpoint: "${endpoint}", fingerprint: "${wrong}"` }));
    onTestFinished(() => made.remove());
    const { exit, stderr } = await made.run(['apply', '--yes'], { env: { OXHERD_PROXMOX_TOKEN: token } });
    expect(exit).toBe(1);
    expect(stderr).toMatch(/certificate/);
    // What to pin if it is meant.
    expect(stderr).toContain(fingerprint);
  });
});

describe('a Proxmox in trouble', () => {
  const more: SmallFile = { volumes: [DATA_VOLUME, 'more: { type: disk, size: 1GiB }'] };
  const converges = async (made: CliFolder) => {
    ended(await made.lab('apply', '--yes'));
    ended(await made.lab('plan', '--exit-code'));
    await nothingIsLost(made);
  };

  it.runIf(WHOLE)('full storage: the step says so, the next run goes on', async () => {
    const made = folder(more);
    const applied = await made.lab('apply', '--yes', '--fault', 'storage-full=local-zfs');
    expect(applied.exit).toBe(1);
    expect(applied.stdout).toMatch(/✗ work-1 {2}create disk more .*\n.*(no space|out of space|full)/i);
    expect(applied.stdout).toMatch(/not started:\n {4}work-1: attach more to VM 151/);
    await nothingIsLost(made);
    await converges(made);
  });

  it('no quorum: said before anything is done', async () => {
    const made = folder(more);
    const { exit, stdout, stderr } = await made.lab('apply', '--yes', '--fault', 'no-quorum');
    expect(exit).toBe(1);
    expect(stdout).toContain('quorum');
    expect(stderr).toMatch(/no quorum/);
    expect(stdout).not.toMatch(/✓/);
    await nothingIsLost(made);
    await converges(made);
  });

  it.runIf(WHOLE)('host down: its node is left as it is, the others go on', async () => {
    const made = folder({ cp: ', description: "first"', volumes: more.volumes ?? [] });
    const applied = await made.lab('apply', '--yes', '--fault', 'host-down=pve2');
    expect(applied.stdout).toContain('Proxmox host pve2 is down; node work-1 is left as it is');
    expect(applied.stderr).toBe('');
    expect(applied.stdout).toMatch(/✓ cp-1 .*set description of VM 141/);
    // Not all was done, and the exit code says it.
    expect(applied.exit).toBe(1);
    await nothingIsLost(made);
    await converges(made);
  });

  it('locked VM: its node waits, with the way out', async () => {
    const made = folder(more);
    const lock = (value: string | undefined) =>
      made.withLab(async ({ lab }) => {
        const { vms } = lab.proxmox.pve.db;
        const vm = vms.get('151');
        if (!vm) throw new Error('no VM 151');
        const { lock: _, ...config } = vm.config;
        vms.put('151', { ...vm, config: value === undefined ? config : { ...config, lock: value } });
      });
    await lock('backup');
    const applied = await made.lab('apply', '--yes');
    expect(applied.exit).toBe(1);
    expect(applied.stdout).toContain('VM 151 is locked by Proxmox (backup)');
    expect(applied.stdout).toContain('qm unlock 151');
    await nothingIsLost(made);
    await lock(undefined);
    await converges(made);
  });
});
