import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GIB, MIB } from '../../../model/size.js';
import type { VolumeContent } from '../../lab.js';
import { MemoryHypervisor, wwnFor } from '../hypervisors/memory-hypervisor.js';
import { readVolumeSpecs, type VolumeSpec } from './volume-spec.js';
import { bringUpVolumes } from './volumes.js';

const SYSTEM: VolumeContent = {
  system: { kind: 'talos', schematic: 'x', version: 'v1.14.1', arch: 'amd64' },
  partitions: [
    { label: 'META', size: MIB },
    { label: 'STATE', size: 100 * MIB, filesystem: 'xfs' },
  ],
};

function machine(disks: Record<string, { size: number; content: VolumeContent }>): MemoryHypervisor {
  const hypervisor = new MemoryHypervisor();
  const drives: Record<string, string> = {};
  for (const [index, [name, disk]] of Object.entries(disks).entries()) {
    hypervisor.volumes.set(name, disk);
    drives[`scsi${index}`] = name;
  }
  hypervisor.vms.set(1, { vmid: 1, ip: '10.0.0.1', mac: 'BC:24:11:00:00:01', drives });
  return hypervisor;
}

function specs(...documents: Record<string, unknown>[]): VolumeSpec[] {
  return readVolumeSpecs(
    documents.map((body) => ({ kind: String(body.kind), name: String(body.name ?? ''), body })),
  );
}

function bringUp(
  hypervisor: MemoryHypervisor,
  wanted: VolumeSpec[],
  before: Parameters<typeof bringUpVolumes>[3] = [],
) {
  const hardware = hypervisor.hardware(1);
  if (!hardware) throw new Error('no machine');
  return Object.fromEntries(
    bringUpVolumes(hypervisor, hardware, wanted, before).map((state) => [state.id, state]),
  );
}

const on = (disk: string) => ({ diskSelector: { match: `disk.wwid == "naa.${wwnFor(disk).slice(2)}"` } });
const ephemeralOn = (disk: string, more = {}) => ({
  kind: 'VolumeConfig',
  name: 'EPHEMERAL',
  provisioning: { ...on(disk), ...more },
});
const os = { size: 5 * GIB, content: SYSTEM };

describe('volumes', () => {
  it('are made where the selector says, over the whole disk', () => {
    const hypervisor = machine({ os, data: { size: 20 * GIB, content: {} } });
    expect(bringUp(hypervisor, specs(ephemeralOn('data'))).EPHEMERAL).toMatchObject({
      phase: 'ready',
      slot: 'scsi1',
      size: 20 * GIB - 2 * MIB,
    });
    expect(hypervisor.volumes.get('data')?.content.partitions?.map(({ label }) => label)).toEqual([
      'EPHEMERAL',
    ]);
  });

  it('are found by label on any disk, whatever the selector says', () => {
    const old = { partitions: [{ label: 'EPHEMERAL', size: 9 * GIB, filesystem: 'xfs' }] };
    const hypervisor = machine({
      os,
      other: { size: 10 * GIB, content: old },
      data: { size: 20 * GIB, content: {} },
    });
    expect(bringUp(hypervisor, specs(ephemeralOn('data'))).EPHEMERAL).toMatchObject({
      phase: 'ready',
      slot: 'scsi1',
    });
    expect(hypervisor.volumes.get('data')?.content).toEqual({});
  });

  it('grow when they are brought up, and not while they are ready', () => {
    const hypervisor = machine({ os, data: { size: 20 * GIB, content: {} } });
    const wanted = specs(ephemeralOn('data'));
    const first = Object.values(bringUp(hypervisor, wanted));
    const volume = hypervisor.volumes.get('data');
    if (volume) hypervisor.volumes.set('data', { ...volume, size: 30 * GIB });
    expect(bringUp(hypervisor, wanted, first).EPHEMERAL?.size).toBe(20 * GIB - 2 * MIB);
    expect(bringUp(hypervisor, wanted).EPHEMERAL?.size).toBe(30 * GIB - 2 * MIB);
  });

  it('say what is wrong with a selector that matches nothing', () => {
    const states = bringUp(machine({ os }), specs(ephemeralOn('nowhere')));
    expect(states.EPHEMERAL).toEqual({
      id: 'EPHEMERAL',
      type: 'partition',
      phase: 'failed',
      error: 'no disks matched selector for volume',
    });
  });

  it('refuse a whole disk that the selector leaves open', () => {
    const disk = { size: 10 * GIB, content: {} };
    const user = {
      kind: 'UserVolumeConfig',
      name: 'data',
      volumeType: 'disk',
      provisioning: { diskSelector: { match: '!system_disk' } },
    };
    const states = bringUp(machine({ os: { ...os, size: 32 * GIB }, a: disk, b: disk }), specs(user));
    expect(states['u-data']).toMatchObject({
      phase: 'failed',
      error: 'multiple disks matched locator for disk volume; matched disks: [/dev/sdb /dev/sdc]',
    });
  });

  it('of users wait until the system has its place', () => {
    const user = { kind: 'UserVolumeConfig', name: 'data', provisioning: { ...on('data'), minSize: '1GiB' } };
    const hypervisor = machine({ os, data: { size: 10 * GIB, content: {} } });
    expect(bringUp(hypervisor, specs(ephemeralOn('nowhere'), user))['u-data']?.phase).toBe('waiting');
  });

  it('never take more than the disk has, and never touch what was there', () => {
    const sizes = fc.integer({ min: 1, max: 40 });
    fc.assert(
      fc.property(sizes, sizes, fc.boolean(), (diskGiB, maxGiB, grow) => {
        const hypervisor = machine({ os, data: { size: diskGiB * GIB, content: {} } });
        const limited = ephemeralOn('data', { maxSize: `${maxGiB}GiB`, minSize: '1GiB', grow });
        const user = {
          kind: 'UserVolumeConfig',
          name: 'more',
          provisioning: { ...on('data'), minSize: '1GiB' },
        };
        bringUp(hypervisor, specs(limited, user));
        const first = hypervisor.volumes.get('data')?.content.partitions ?? [];
        bringUp(hypervisor, specs(limited, user));
        const second = hypervisor.volumes.get('data')?.content.partitions ?? [];
        expect(second.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(diskGiB * GIB);
        expect(second.map(({ label }) => label)).toEqual(first.map(({ label }) => label));
        for (const [index, partition] of first.entries()) {
          expect(second[index]?.size).toBeGreaterThanOrEqual(partition.size);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('encryption', () => {
  const passphrase = (text: string) => ({
    provider: 'luks2',
    keys: [{ slot: 0, static: { passphrase: text } }],
  });
  const encrypted = (encryption: unknown) => ({ ...ephemeralOn('data'), encryption });
  const withData = (content: VolumeContent = {}) => machine({ os, data: { size: 20 * GIB, content } });

  it('of a new volume is made, and opens again with its key alone', () => {
    const hypervisor = withData();
    const first = bringUp(hypervisor, specs(encrypted(passphrase('a'))));
    expect(first.EPHEMERAL).toMatchObject({
      phase: 'ready',
      filesystem: 'xfs',
      encryption: { keys: ['static'], slot: 0, lockedToState: false },
    });
    expect(hypervisor.volumes.get('data')?.content.partitions?.[0]?.filesystem).toBe('luks');
    expect(bringUp(hypervisor, specs(encrypted(passphrase('a')))).EPHEMERAL?.phase).toBe('ready');
    expect(bringUp(hypervisor, specs(encrypted(passphrase('b')))).EPHEMERAL).toMatchObject({
      phase: 'failed',
      preFailPhase: 'provisioned',
      error: expect.stringContaining('encryption key rejected'),
    });
  });

  it('that is turned on or off for a volume that exists fails, and leaves the data alone', () => {
    const plain = withData();
    bringUp(plain, specs(ephemeralOn('data')));
    const before = plain.volumes.get('data');
    expect(bringUp(plain, specs(encrypted(passphrase('a')))).EPHEMERAL).toMatchObject({
      phase: 'failed',
      error: 'block dev type mismatch: xfs != luks',
    });
    expect(plain.volumes.get('data')).toEqual(before);

    const locked = withData();
    bringUp(locked, specs(encrypted(passphrase('a'))));
    expect(bringUp(locked, specs(ephemeralOn('data'))).EPHEMERAL).toMatchObject({
      phase: 'failed',
      error: 'filesystem type mismatch: luks != xfs',
    });
  });

  it('by node id opens on the machine that made it alone', () => {
    const spec = encrypted({ provider: 'luks2', keys: [{ slot: 0, nodeID: {} }] });
    const hypervisor = withData();
    bringUp(hypervisor, specs(spec));
    const vm = hypervisor.vms.get(1);
    if (!vm) throw new Error('no machine');
    hypervisor.vms.set(2, { ...vm, vmid: 2 });
    const other = hypervisor.hardware(2);
    if (!other) throw new Error('no machine');
    const states = bringUpVolumes(hypervisor, other, specs(spec));
    expect(states.find(({ id }) => id === 'EPHEMERAL')?.phase).toBe('failed');
  });

  it('opens by the first slot whose key fits; the other slots follow the config', () => {
    const keys = (texts: Record<number, string>) => ({
      provider: 'luks2',
      keys: Object.entries(texts).map(([slot, text]) => ({
        slot: Number(slot),
        static: { passphrase: text },
      })),
    });
    const open = (texts: Record<number, string>) =>
      bringUp(hypervisor, specs(encrypted(keys(texts)))).EPHEMERAL?.encryption?.slot;
    const hypervisor = withData();
    expect(open({ 0: 'a' })).toBe(0);
    expect(open({ 0: 'a', 1: 'b' })).toBe(0);
    // A changed passphrase is written once another slot has opened the volume.
    expect(open({ 0: 'c', 1: 'b' })).toBe(1);
    expect(open({ 0: 'c', 1: 'b' })).toBe(0);
    expect(open({ 1: 'b' })).toBe(1);
    // A key opens the slot that it was written to.
    expect(open({ 0: 'b' })).toBeUndefined();
    expect(open({ 0: 'c' })).toBeUndefined();
  });

  it('by node id needs a uuid in which no character takes more than half of the places', () => {
    const nodeId = { slot: 0, nodeID: {} };
    const both = { provider: 'luks2', keys: [nodeId, { slot: 1, static: { passphrase: 'a' } }] };
    const withUuid = (uuid: string) => {
      const hypervisor = withData();
      const vm = hypervisor.vms.get(1);
      if (!vm) throw new Error('no machine');
      hypervisor.vms.set(1, { ...vm, uuid });
      return hypervisor;
    };
    const poor = '00000000-0000-0000-0000-000012345678';
    const reason = `machine UUID ${poor} entropy check failed`;
    expect(bringUp(withUuid(poor), specs(encrypted({ ...both, keys: [nodeId] }))).EPHEMERAL).toMatchObject({
      phase: 'failed',
      error: expect.stringContaining(reason),
    });
    expect(bringUp(withUuid(poor), specs(encrypted(both))).EPHEMERAL).toMatchObject({
      phase: 'ready',
      encryption: { slot: 1, failedSyncs: [`error adding key slot 0 *keys.NodeIDKeyHandler: ${reason}`] },
    });
    // 18 of 36 characters are not too many.
    const rich = '00000000-0000-0000-00ab-123456789acd';
    expect(bringUp(withUuid(rich), specs(encrypted(both))).EPHEMERAL?.encryption).toEqual({
      keys: ['nodeID', 'static'],
      slot: 0,
      lockedToState: false,
    });
  });
});

describe('formats', () => {
  it('never change what is on a volume: another one is refused', () => {
    const format = fc.constantFrom('xfs', 'ext4', 'btrfs');
    const kind = fc.constantFrom('partition', 'disk');
    const wanted = fc.record({ format, encrypted: fc.boolean() });
    fc.assert(
      fc.property(kind, wanted, wanted, (volumeType, first, second) => {
        const volume = ({ format: type, encrypted }: typeof first) => ({
          kind: 'UserVolumeConfig',
          name: 'v',
          volumeType,
          provisioning: volumeType === 'disk' ? on('data') : { ...on('data'), minSize: '1GiB' },
          filesystem: { type },
          ...(encrypted ? { encryption: { provider: 'luks2', keys: [{ slot: 0, nodeID: {} }] } } : {}),
        });
        const hypervisor = machine({
          os: { size: 20 * GIB, content: SYSTEM },
          data: { size: 20 * GIB, content: {} },
        });
        expect(bringUp(hypervisor, specs(volume(first)))['u-v']?.phase).toBe('ready');
        const before = JSON.stringify(hypervisor.volumes.get('data'));
        const same = first.format === second.format && first.encrypted === second.encrypted;
        expect(bringUp(hypervisor, specs(volume(second)))['u-v']?.phase).toBe(same ? 'ready' : 'failed');
        expect(JSON.stringify(hypervisor.volumes.get('data'))).toBe(before);
      }),
      { numRuns: 60 },
    );
  });
});
