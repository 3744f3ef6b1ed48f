/** The file changes, `apply` follows, and then there is nothing to do; every disk that was not meant stays as it was. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { diskDrives } from '../../../src/formats/proxmox/vm-config.js';
import { CliFolder, ended } from '../../support/cli.js';
import { disksOf } from '../../support/disks.js';
import { tier } from '../../support/shard.js';

interface File {
  readonly volumes: readonly string[];
  readonly nodes: readonly string[];
}

const CP = 'cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }';
const worker = (number: number, more = '') =>
  `work-${number}: { role: worker, host: pve${number}, ip: 10.20.30.5${number}, vmid: 15${number}${more} }`;
const volume = (name: string, size: number) => `${name}: { type: disk, size: ${size}GiB }`;

const config = ({ volumes, nodes }: File) => `cluster: { name: small, kubernetes: v1.36.0 }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  all: { cores: 2, memory: 4GiB, disk: 6GiB }
nodes:
${nodes.map((line) => `  ${line}\n`).join('')}volumes:
${volumes.map((line) => `  ${line}\n`).join('')}`;

const BASE: File = {
  volumes: [volume('logs', 2), volume('media', 3)],
  nodes: [CP, worker(1), worker(2)],
};
const ADDED: File = { ...BASE, volumes: [volume('aaa', 1), ...BASE.volumes] };
const GROWN: File = { ...ADDED, volumes: [volume('aaa', 1), volume('logs', 2), volume('media', 5)] };
const DESCRIBED: File = {
  ...GROWN,
  nodes: [CP, worker(1, ', description: "the left one"'), worker(2)],
};
const CORES: File = { ...DESCRIBED, nodes: [CP, DESCRIBED.nodes[1] ?? '', worker(2, ', cores: 3')] };

const CHANGES: { what: string; file: File; does: RegExp; restarts?: readonly string[]; sample?: true }[] = [
  {
    what: 'adding a volume whose name sorts first',
    file: ADDED,
    does: /create disk aaa \(1GiB\) on data VM 1510/,
    restarts: [],
    sample: true,
  },
  {
    what: 'removing it',
    file: BASE,
    does: /detach local-zfs:vm-1510-disk-3 from VM 151/,
    restarts: [],
    sample: true,
  },
  {
    what: 'taking it in again',
    file: ADDED,
    does: /attach aaa to VM 151 as scsi/,
    restarts: [],
    sample: true,
  },
  { what: 'growing another', file: GROWN, does: /grow media of VM 151 to 5GiB/, restarts: [] },
  {
    what: "changing a node's description",
    file: DESCRIBED,
    does: /set description of VM 151 \(work-1\)/,
    restarts: [],
  },
  {
    what: 'changing the cores of one node',
    file: CORES,
    does: /restart VM 152 \(work-2\)/,
    restarts: ['152'],
    sample: true,
  },
  {
    what: 'reordering nodes and volumes in the file',
    file: { volumes: [...CORES.volumes].reverse(), nodes: [...CORES.nodes].reverse() },
    does: /No changes/,
  },
];

describe('through the command line', () => {
  let folder: CliFolder;
  let before: Map<string, string>;

  beforeAll(async () => {
    folder = CliFolder.make(config(BASE));
    ended(await folder.lab('apply', '--yes'));
    before = await folder.withLab(async ({ lab }) => disksOf(lab));
    expect(before.size).toBe(3 + 3 + 4);
  });
  afterAll(() => folder.remove());

  it('a second plan after apply has nothing to do', async () => {
    const plan = ended(await folder.lab('plan', '--exit-code'));
    expect(plan).toBe('No changes. The cluster matches oxherd.yaml.\n');
  });

  // In this order, on one lab: each change starts from where the one before ended.
  it.each(tier() === 'test' ? CHANGES.filter(({ sample }) => sample) : CHANGES)(
    '$what converges and leaves the other disks alone',
    async ({ file, does, restarts }) => {
      folder.config = config(file);
      const plan = ended(
        await folder.lab('plan', '--full', '--exit-code'),
        /No changes/.test(does.source) ? 0 : 2,
      );
      expect(plan).toMatch(does);
      const applied = ended(await folder.lab('apply', '--yes'));
      if (restarts) {
        const restarted = [...applied.matchAll(/✓ .* restart VM (\d+)/g)].map((match) => match[1]);
        expect(restarted).toEqual(restarts);
      }

      const again = ended(await folder.lab('plan', '--exit-code'));
      expect(again).toMatch(/No changes\. The cluster matches oxherd\.yaml\.\n$/);
      const after = await folder.withLab(async ({ lab }) => disksOf(lab));
      // Nothing that was there is gone or another; what came is new.
      expect(Object.fromEntries([...before].map(([wwn]) => [wwn, after.get(wwn)]))).toEqual(
        Object.fromEntries(before),
      );
      before = after;
    },
  );

  it('parked is detached from the Talos VM and kept on the data VM', async () => {
    folder.config = config({ ...CORES, volumes: GROWN.volumes.slice(1) });
    ended(await folder.lab('apply', '--yes'));
    const plan = ended(await folder.lab('plan', '--exit-code'));
    expect(plan).toContain('work-1/aaa is parked: local-zfs:vm-1510-disk-3, 1GiB kept on data VM 1510');
    await folder.withLab(async ({ lab }) => {
      const files = (vmid: string) =>
        diskDrives(lab.proxmox.pve.db.vms.get(vmid)?.config ?? {}).map((drive) => drive.file);
      expect(files('1510')).toContain('local-zfs:vm-1510-disk-3');
      expect(files('151')).not.toContain('local-zfs:vm-1510-disk-3');
    });
  });
});
