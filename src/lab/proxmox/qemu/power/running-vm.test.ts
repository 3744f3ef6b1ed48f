import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../../test/support/lab/proxmox/test-bench.js';
import type { MachineRoom } from '../../../lab.js';
import { recordings } from '../../../profiles/recordings.js';
import { guestStopped, runningDrives } from './machine.js';

const VM = '/nodes/pve1/qemu/100';

interface Room extends MachineRoom {
  readonly events: string[];
  obeys: boolean;
}

function machineRoom(): Room {
  const events: string[] = [];
  return {
    events,
    obeys: true,
    powerOn: (vmid) => void events.push(`on ${vmid}`),
    powerOff: (vmid) => void events.push(`off ${vmid}`),
    shutdown(vmid) {
      events.push(`asked ${vmid}`);
      return this.obeys;
    },
    reset: (vmid) => void events.push(`reset ${vmid}`),
    hardwareChanged: (vmid) => void events.push(`changed ${vmid}`),
    agent: () => undefined,
  };
}

let bench: Bench;
let room: Room;

beforeEach(async () => {
  room = machineRoom();
  bench = openBench(recordings, { machines: room });
  const created = await bench.run('POST', '/nodes/pve1/qemu', {
    vmid: 100,
    cores: 1,
    scsi0: 'local-zfs:1,serial=a,ssd=1',
    net0: 'virtio,bridge=vmbr0',
    agent: 1,
  });
  expect(created).toBe('OK');
  expect(await bench.run('POST', `${VM}/status/start`)).toBe('OK');
});

const get = async (path: string, params = {}) =>
  (await bench.send('GET', `${VM}${path}`, params)).data as Record<string, unknown>;

describe('a running VM', () => {
  it('keeps what it was started with; the rest is pending', async () => {
    await bench.run('PUT', `${VM}/config`, { cores: 4, description: 'now' });
    expect(await get('/config')).toMatchObject({ cores: 4, description: 'now' });
    expect(await get('/config', { current: 1 })).toMatchObject({ cores: 1, description: 'now' });
    expect(await get('/pending')).toContainEqual({ key: 'cores', value: 1, pending: 4 });
    await bench.run('PUT', `${VM}/config`, { revert: 'cores' });
    expect(await get('/pending')).toContainEqual({ key: 'cores', value: 1 });
  });

  it('has a new serial written at once although the guest keeps the old one', async () => {
    const line = 'local-zfs:vm-100-disk-0,serial=b,ssd=1';
    await bench.run('PUT', `${VM}/config`, { scsi0: line });
    expect(await get('/config', { current: 1 })).toMatchObject({
      scsi0: `${line.replace(',ssd', ',size=1G,ssd')}`,
    });
    expect(runningDrives(bench.pve, 100).get('scsi0')?.serial).toBe('a');
    await bench.run('PUT', `${VM}/config`, { scsi0: 'local-zfs:vm-100-disk-0,serial=b' });
    expect(await get('/pending')).toContainEqual({
      key: 'scsi0',
      value: 'local-zfs:vm-100-disk-0,serial=b,size=1G,ssd=1',
      pending: 'local-zfs:vm-100-disk-0,serial=b,size=1G',
    });
  });

  it('is told of disks that come, grow and go', async () => {
    room.events.length = 0;
    await bench.run('PUT', `${VM}/config`, { scsi1: 'local-zfs:2,wwn=0x5000c50015ea7111' });
    await bench.run('PUT', `${VM}/resize`, { disk: 'scsi1', size: '3G' });
    expect(runningDrives(bench.pve, 100).get('scsi1')).toMatchObject({
      volid: 'local-zfs:vm-100-disk-1',
      wwn: '0x5000c50015ea7111',
      size: 3 * 1024 ** 3,
      cdrom: false,
    });
    await bench.run('PUT', `${VM}/config`, { delete: 'scsi1' });
    expect([...runningDrives(bench.pve, 100).keys()]).toEqual(['scsi0']);
    expect(room.events).toEqual(['changed 100', 'changed 100', 'changed 100']);
  });

  it('has a SATA disk only after the next start', async () => {
    await bench.run('PUT', `${VM}/config`, { sata0: 'local-zfs:1' });
    expect(runningDrives(bench.pve, 100).has('sata0')).toBe(false);
    await bench.run('POST', `${VM}/status/stop`);
    await bench.run('POST', `${VM}/status/start`);
    expect(runningDrives(bench.pve, 100).has('sata0')).toBe(true);
  });
});

describe('shutting down', () => {
  it('ends when the guest is down; a reboot is started again by root@pam, with the pending changes', async () => {
    await bench.run('PUT', `${VM}/config`, { cores: 2 });
    const { data: upid } = await bench.send('POST', `${VM}/status/reboot`, {}, 'root@pam');
    await bench.wait(5_000);
    expect(bench.pve.db.tasks.get(String(upid))?.exitstatus).toBeUndefined();
    guestStopped(bench.pve, 100);
    await bench.wait(1_100);
    expect(bench.pve.db.tasks.get(String(upid))?.exitstatus).toBe('OK');
    await bench.wait(3_000);
    expect(await get('/status/current')).toMatchObject({ status: 'running', cpus: 2 });
    const last = [...bench.pve.db.tasks.values()].at(-1);
    expect(last).toMatchObject({ type: 'qmstart', user: 'root@pam', exitstatus: 'OK' });
    expect(room.events).toEqual(['on 100', 'asked 100', 'on 100']);
  });

  it('fails after its time with a guest that does not obey, or pulls the plug', async () => {
    room.obeys = false;
    expect(await bench.run('POST', `${VM}/status/shutdown`, { timeout: 5 })).toBe(
      'VM quit/powerdown failed - got timeout',
    );
    expect(await bench.run('POST', `${VM}/status/shutdown`, { timeout: 5, forceStop: 1 })).toBe('OK');
    expect(room.events).toEqual(['on 100', 'asked 100', 'asked 100', 'off 100']);
  });

  it('by the guest itself is no reboot and applies nothing until the next start', async () => {
    await bench.run('PUT', `${VM}/config`, { cores: 2 });
    guestStopped(bench.pve, 100);
    await bench.wait(5_000);
    expect(await get('/status/current')).toMatchObject({ status: 'stopped', cpus: 1 });
    await bench.run('POST', `${VM}/status/start`);
    expect(await get('/status/current')).toMatchObject({ status: 'running', cpus: 2 });
  });

  it('of a paused VM is refused unless forced', async () => {
    await bench.run('POST', `${VM}/status/suspend`);
    expect(await bench.run('POST', `${VM}/status/shutdown`)).toBe('500 VM is paused - cannot shutdown');
    expect(await bench.run('POST', `${VM}/status/shutdown`, { forceStop: 1 })).toBe('OK');
  });
});

describe('a NIC of a running VM', () => {
  it('is unplugged before the new one is plugged: with an MTU above its bridge there is none left', async () => {
    const nics = () =>
      Object.keys(bench.pve.db.vms.get('100')?.running?.config ?? {}).filter((key) => key === 'net1');
    expect(await bench.run('PUT', `${VM}/config`, { net1: 'virtio=BC:24:11:00:00:01,bridge=vmbr0' })).toBe(
      'done',
    );
    expect(nics()).toEqual(['net1']);
    expect(
      await bench.run('PUT', `${VM}/config`, { net1: 'virtio=BC:24:11:00:00:01,bridge=vmbr0,mtu=9000' }),
    ).toContain('400');
    expect(nics()).toEqual([]);
    expect(
      await bench.run('PUT', `${VM}/config`, { net1: 'virtio=BC:24:11:00:00:01,bridge=vmbr0,mtu=1' }),
    ).toBe('done');
    expect(nics()).toEqual(['net1']);
  });
});

describe('a start', () => {
  it('fails on what the config only named: bridges, PCI devices, too many cores', async () => {
    const start = async (config: Record<string, string | number>) => {
      await bench.run('POST', `${VM}/status/stop`);
      expect(await bench.run('PUT', `${VM}/config`, config)).toBe('done');
      return bench.run('POST', `${VM}/status/start`);
    };
    expect(await start({ net1: 'virtio,bridge=vmbr9' })).toBe("bridge 'vmbr9' does not exist");
    expect(await start({ net1: 'e1000,bridge=vmbr9' })).toBe('start failed: QEMU exited with code 1');
    expect(await start({ net1: 'virtio,bridge=vmbr0,mtu=9000' })).toBe(
      "MTU '9000' is bigger than the bridge MTU '1500'",
    );
    expect(await start({ delete: 'net1', cores: 64 })).toBe('MAX 16 vcpus allowed per VM on this node');
    expect(await start({ cores: 1, hostpci0: '0000:01:00.0' })).toBe(
      "no PCI device found for '0000:01:00.0'",
    );
    expect(await start({ hostpci0: 'mapping=gpu' })).toBe("PCI device mapping not found for 'gpu'");
  });

  it('of a guest without an agent leaves the agent calls without an answer', async () => {
    expect(await bench.run('POST', `${VM}/agent/ping`)).toBe('500 QEMU guest agent is not running');
  });

  it('of an HA resource is asked of the HA manager', async () => {
    await bench.run('POST', `${VM}/status/stop`);
    bench.pve.db.haResources.put('vm:100', { sid: 'vm:100', type: 'vm', state: 'stopped' });
    const { data } = await bench.send('POST', `${VM}/status/start`);
    expect(data).toContain(':hastart:100:');
    await bench.wait(40_000);
    expect(await get('/status/current')).toMatchObject({
      status: 'running',
      ha: { managed: 1, state: 'started' },
    });
  });
});
