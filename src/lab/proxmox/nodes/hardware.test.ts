import { expect, it } from 'vitest';
import { openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';

it('lists the devices of a default host, and hides none where the list of classes is empty', async () => {
  const world = findProfile('empty')?.world(['pve1']);
  if (!world) throw new Error('no profile');
  const bench = openBench(world);
  const ids = async (params: Record<string, string>) => {
    const { data } = await bench.send('GET', '/nodes/pve1/hardware/pci', params);
    return (data as { id: string }[]).map(({ id }) => id);
  };
  expect(await ids({})).toEqual(['0000:00:02.0', '0000:00:1f.6', '0000:01:00.0']);
  expect(await ids({ 'pci-class-blacklist': '' })).toHaveLength(4);
  expect(await ids({ 'pci-class-blacklist': '03,06' })).toEqual(['0000:00:1f.6', '0000:01:00.0']);
});

it('has a series of figures for a VM and a storage', async () => {
  const world = findProfile('empty')?.world(['pve1']);
  if (!world) throw new Error('no profile');
  const bench = openBench(world);
  await bench.run('POST', '/nodes/pve1/qemu', { vmid: 100, memory: 1024 });
  const vm = await bench.send('GET', '/nodes/pve1/qemu/100/rrddata', { timeframe: 'hour' });
  expect(vm.data).toHaveLength(70);
  expect((vm.data as object[])[0]).toMatchObject({ maxmem: 1024 ** 3, maxcpu: 1 });
  const storage = await bench.send('GET', '/nodes/pve1/storage/local/rrddata', { timeframe: 'day' });
  expect((storage.data as object[])[69]).toMatchObject({ used: 0 });
});
