import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadExample } from '../../../test/support/examples.js';
import { design } from '../../design/design-cluster.js';
import { parseVmid, type Vmid } from '../../model/identity.js';
import { GIB } from '../../model/size.js';
import { failovers } from './failover.js';
import { passthroughNote } from './passthrough.js';
import { capacityNotes, capacityProblems } from './problems.js';
import { type CapacityFacts, hostCapacities } from './usage.js';

const vmid = (value: number) => parseVmid(value) as Vmid;

const NOTHING: CapacityFacts = { hosts: {}, taken: {}, storages: {} };

const FOURTH =
  '  talos-node-3: { role: worker, host: prod-srv-01, ip: 192.168.10.54, vmid: 204, memory: 40GiB }\n';
const withFourth = (text: string) => text.replace('\npolicy:', `${FOURTH}\npolicy:`);

describe('a hyper-converged server', () => {
  const config = loadExample('hyperconverged');
  const [host, ...more] = hostCapacities(config, design(config));

  it('is partitioned as its table says', () => {
    expect(more).toEqual([]);
    expect(host).toMatchObject({ name: 'prod-srv-01', cpus: 36, memory: 88 * GIB });
    expect(
      host?.users.map((user) => [user.title, user.name, user.cpus, user.memory / GIB, user.address]),
    ).toEqual([
      ['Storage', 'truenas', 6, 32, '192.168.10.20'],
      ['Control Plane', 'talos-node-0', 4, 8, '192.168.10.51'],
      ['Control Plane', 'talos-node-1', 4, 8, '192.168.10.52'],
      ['Control Plane', 'talos-node-2', 4, 8, '192.168.10.53'],
    ]);
    expect(host?.left).toEqual({ cpus: 18, memory: 32 * GIB });
    expect(capacityProblems(config, design(config))).toEqual([]);
    expect(capacityNotes(config, design(config))).toEqual([]);
  });

  it('refuses a fourth node of 40 GB with the number that does not fit', () => {
    const larger = loadExample('hyperconverged', withFourth);
    expect(capacityProblems(larger, design(larger))).toMatchObject([
      {
        code: 'capacity-memory',
        scope: 'plan',
        node: 'talos-node-3',
        message: 'prod-srv-01: talos-node-3 needs 40 GB of memory, 32 GB of 88 GB are left: 8 GB do not fit',
      },
    ]);
  });

  it('takes it where overcommit is allowed', () => {
    const larger = loadExample('hyperconverged', (text) =>
      withFourth(text).replace('overcommit: {', 'overcommit: { memory: true,'),
    );
    expect(capacityProblems(larger, design(larger))).toEqual([]);
  });

  it('refuses more vCPUs than the ratio allows', () => {
    const busy = loadExample('hyperconverged', (text) => text.replace('cores: 4', 'cores: 11'));
    expect(capacityProblems(busy, design(busy))).toMatchObject([
      {
        code: 'capacity-cpu',
        message: 'prod-srv-01: 39 vCPUs are requested, 36 CPUs allow 36: 3 do not fit',
      },
    ]);
  });

  it('that VMs of others have filled is noted, and refuses only what adds to it', () => {
    const ours = [201, 202, 203].map((id) => vmid(id));
    const running = (id: Vmid, cpus: number, memory: number) =>
      [
        id,
        { vmid: id, name: `vm-${id}`, host: 'prod-srv-01', tags: [], status: 'running', cpus, memory },
      ] as const;
    const observed: CapacityFacts = {
      ...NOTHING,
      taken: Object.fromEntries([
        ...ours.map((id) => running(id, 4, 8 * GIB)),
        running(vmid(900), 40, 60 * GIB),
      ]),
    };
    expect(capacityProblems(config, design(config), observed)).toEqual([]);
    expect(capacityNotes(config, design(config), observed).map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^prod-srv-01: 58 vCPUs are requested, .*nothing more is placed there$/),
        expect.stringMatching(/^prod-srv-01: .* of memory .*nothing more is placed there$/),
      ]),
    );
    const larger = loadExample('hyperconverged', (text) => text.replace('cores: 4', 'cores: 5'));
    expect(capacityProblems(larger, design(larger), observed)).toMatchObject([{ code: 'capacity-cpu' }]);
  });

  it('refuses disks larger than their storage', () => {
    const full = loadExample('hyperconverged', (text) =>
      text.replace('    memory: 88GiB', '    memory: 88GiB\n    storages: { local-lvm: 90GiB }'),
    );
    expect(capacityProblems(full, design(full))).toMatchObject([
      { code: 'capacity-storage', message: expect.stringContaining('6 GB do not fit') },
    ]);
  });
});

describe('what is there', () => {
  const config = loadExample('hyperconverged');
  const wanted = design(config);
  const other = {
    vmid: vmid(300),
    name: 'win',
    host: 'prod-srv-01',
    tags: [],
    status: 'running',
    cpus: 8,
    memory: 30 * GIB,
  };
  const nas = {
    vmid: vmid(100),
    name: 'truenas',
    host: 'prod-srv-01',
    tags: [],
    status: 'running',
    cpus: 6,
    memory: 32 * GIB,
  };

  it('counts other VMs as they are, and reserved ones once', () => {
    const [host] = hostCapacities(config, wanted, { ...NOTHING, taken: { 300: other, 100: nas } });
    expect(host?.users.map((user) => user.name)).toEqual([
      'truenas',
      'win',
      'talos-node-0',
      'talos-node-1',
      'talos-node-2',
    ]);
    expect(host?.left).toEqual({ cpus: 10, memory: 2 * GIB });
  });

  it('does not count VMs that are stopped', () => {
    const [host] = hostCapacities(config, wanted, {
      ...NOTHING,
      taken: { 300: { ...other, status: 'stopped' } },
    });
    expect(host?.left.memory).toBe(32 * GIB);
  });

  it('reads the size of a host that the file does not say', () => {
    const homelab = loadExample('homelab');
    const observed = {
      ...NOTHING,
      hosts: { pve1: { name: 'pve1', online: true, cpus: 4, memory: 20 * GIB } },
    };
    expect(capacityProblems(homelab, design(homelab), observed)).toMatchObject([
      { code: 'capacity-memory', node: 'work-1', message: expect.stringContaining('4 GB do not fit') },
    ]);
  });

  it('refuses new disks that a thick storage has no room for, and warns of a thin one', () => {
    const storage = (type: string) => ({
      'prod-srv-01/local-lvm': {
        host: 'prod-srv-01',
        name: 'local-lvm',
        content: ['images'],
        shared: false,
        active: true,
        type,
        total: 200 * GIB,
        used: 150 * GIB,
      },
    });
    const there = Object.fromEntries(
      wanted.nodes.map((node) => [node.talosVm.vmid, { ...other, vmid: node.talosVm.vmid }]),
    );
    const thick = { ...NOTHING, storages: storage('lvm') };
    const thin = { ...NOTHING, storages: storage('lvmthin') };
    expect(capacityProblems(config, wanted, thick)).toMatchObject([
      {
        code: 'capacity-storage',
        message: expect.stringContaining('take 96 GB at once, 50 GB are free: 46 GB do not fit'),
      },
    ]);
    expect(capacityProblems(config, wanted, thin)).toEqual([]);
    expect(capacityNotes(config, wanted, thin)).toMatchObject([
      { code: 'advice', message: 'local-lvm on prod-srv-01: new disks may grow to 96 GB, 50 GB are free' },
    ]);
    // Disks that are there take no more room.
    expect(capacityProblems(config, wanted, { ...thick, taken: there })).toEqual([]);
  });

  it('says where a reserved appliance is not what oxherd.yaml says', () => {
    const grown = { ...nas, memory: 40 * GIB };
    const notes = (vm: typeof nas) => capacityNotes(config, wanted, { ...NOTHING, taken: { 100: vm } });
    expect(notes(nas)).toEqual([]);
    expect(notes(grown)).toMatchObject([
      { code: 'drift', message: 'truenas: it has 40 GB of memory, 32 GB are reserved' },
    ]);
    expect(notes({ ...nas, host: 'elsewhere' })).toMatchObject([
      { message: expect.stringContaining('it is on elsewhere') },
    ]);
    const appliance = { reservation: 'truenas', vmid: 100, host: 'prod-srv-01' };
    expect(passthroughNote(appliance, ['hostpci0', 'cores'])).toBeUndefined();
    expect(passthroughNote(appliance, ['cores'])?.message).toContain('no PCI device');
  });
});

describe('when a host with many nodes fails', () => {
  it('names a few of them', () => {
    const many = loadExample('homelab', (text) =>
      text
        .replace(/(work:.*count: )3/, '$130')
        .replace(
          '\nnodes:',
          `\nhosts:\n${[1, 2, 3].map((i) => `  pve${i}: { cpus: 99, memory: 200GiB }\n`).join('')}\nnodes:`,
        ),
    );
    expect(capacityNotes(many, design(many)).map((note) => note.message)).toContainEqual(
      'if pve1 fails, cp-1, work-19, work-22, work-25, work-28 and 2 others would fit nowhere else: 104 GB of memory are missing',
    );
  });
});

describe('when a host fails', () => {
  const hosts = (memory: string) =>
    loadExample('homelab', (text) =>
      text.replace(
        '\nnodes:',
        `\nhosts:\n${[1, 2, 3].map((i) => `  pve${i}: { cpus: 32, memory: ${memory} }\n`).join('')}\nnodes:`,
      ),
    );

  it('keeps the quorum of three over three, and says what fits nowhere', () => {
    const tight = hosts('36GiB');
    const [first] = failovers(hostCapacities(tight, design(tight)));
    expect(first).toMatchObject({ host: 'pve1', quorum: true, controlPlanes: [1, 3], missing: 16 * GIB });
    expect(first?.homeless.map((node) => node.name)).toEqual(['work-1']);
    expect(capacityNotes(tight, design(tight))[0]?.message).toBe(
      'if pve1 fails, work-1 would fit nowhere else: 16 GB of memory are missing',
    );
    const roomy = hosts('64GiB');
    expect(failovers(hostCapacities(roomy, design(roomy))).flatMap((each) => each.homeless)).toEqual([]);
  });

  it('says when control planes fall together', () => {
    const together = loadExample('homelab', (text) =>
      text.replace(
        'count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.30.41',
        'count: 3, hosts: [pve1, pve1, pve3], ip: 10.20.30.41',
      ),
    );
    expect(capacityNotes(together, design(together))).toMatchObject([
      { code: 'advice', message: 'cp-1 and cp-2 are on one host, pve1: they fail together' },
    ]);
    expect(failovers(hostCapacities(together, design(together)))[0]?.quorum).toBe(false);
  });

  it('never loses count: what is used and what is left is what there is', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 9 }), (memory, count) => {
        const config = loadExample('homelab', (text) =>
          text
            .replace('worker: { cores: 8, memory: 16GiB', `worker: { cores: 8, memory: ${memory}GiB`)
            .replace('role: worker, count: 3', `role: worker, count: ${count}`)
            .replace(
              '\nnodes:',
              '\nhosts:\n  pve1: { cpus: 16, memory: 100GiB }\n  pve2: { memory: 100GiB }\n  pve3: { cpus: 8 }\n\nnodes:',
            ),
        );
        const wanted = design(config);
        for (const host of hostCapacities(config, wanted)) {
          const asked = host.users.reduce((sum, user) => sum + user.memory, 0);
          if (host.memory !== undefined) expect(asked + (host.left.memory ?? 0)).toBe(host.memory);
          const refused = capacityProblems(config, wanted).some(
            (each) => each.message.startsWith(`${host.name}:`) && each.code === 'capacity-memory',
          );
          expect(refused).toBe(host.memory !== undefined && asked > host.memory);
        }
      }),
      { numRuns: 40 },
    );
  });
});
