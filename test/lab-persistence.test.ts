import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Lab, startLab } from '../src/lab/index.js';
import { findProfile } from '../src/lab/profiles/profiles.js';
import { folderState } from '../src/lab/state.js';
import { TestApi } from './lab-client/api.js';

describe('a lab in a folder', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oxherd-lab-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  async function start(hosts = ['pve1']): Promise<Lab> {
    const world = findProfile('empty')?.world(hosts);
    return startLab({ state: await folderState(folder), ...(world && { world }) });
  }
  const content = (name: string) => readFileSync(join(folder, name), 'utf8');

  it('is the same lab the next time: hosts, token, certificate, objects and time', async () => {
    const first = await start();
    const api = TestApi.withToken(first);
    await api.call('POST', '/pools', { poolid: 'kept' });
    await first.clock.sleep(60_000);
    const before = { token: first.token, fingerprint: first.fingerprint, time: first.clock.now() };
    api.close();
    await first.stop();

    const second = await start(['other']);
    const again = TestApi.withToken(second);
    expect({ token: second.token, fingerprint: second.fingerprint, time: second.clock.now() }).toEqual(
      before,
    );
    expect([...second.proxmox.endpoints.keys()]).toEqual(['pve1']);
    expect((await again.call('GET', '/pools')).data).toEqual([{ poolid: 'kept' }]);
    again.close();
    await second.stop();
  });

  it('finishes tasks that were under way when it was killed', async () => {
    const first = await start();
    const api = TestApi.withToken(first);
    const { data } = await api.call('POST', '/nodes/pve1/qemu', {
      vmid: 100,
      name: 'a',
      scsi0: 'local-zfs:1',
    });
    api.close();
    // As after a kill: what is on disk is all there is, and the lock's owner is gone.
    const log = content('changes.log');
    await first.proxmox.stop();
    first.clock.stop();
    rmSync(join(folder, 'lock.json'));
    expect(log).toContain(String(data));

    const second = await start();
    const again = TestApi.withToken(second);
    expect(await again.task(String(data))).toBe('OK');
    expect((await again.call('GET', '/nodes/pve1/qemu/100/config')).data).toMatchObject({
      scsi0: 'local-zfs:vm-100-disk-0,size=1G',
    });
    again.close();
    await second.stop();
  });

  it('does not go back in time when it was killed', async () => {
    const first = await start();
    const api = TestApi.withToken(first);
    const made = await api.call('POST', '/nodes/pve1/qemu', { vmid: 100, name: 'a' });
    await api.task(String(made.data));
    // The task's end was written by the lab itself, long after the request.
    const end = first.clock.now();
    api.close();
    await first.proxmox.stop();
    first.clock.stop();
    rmSync(join(folder, 'lock.json'));

    const second = await start();
    const again = TestApi.withToken(second);
    const [task] = z
      .array(z.object({ endtime: z.number() }))
      .parse((await again.call('GET', '/nodes/pve1/tasks')).data);
    expect(second.clock.now()).toBeGreaterThanOrEqual((task?.endtime ?? Number.NaN) * 1_000);
    expect(second.clock.now() - end).toBeLessThanOrEqual(1_000);
    again.close();
    await second.stop();
  });

  it('keeps secrets out of its state, and everything to its owner', async () => {
    const lab = await start();
    const api = TestApi.withToken(lab);
    await api.call('POST', '/access/users', { userid: 'u@pve', password: 'correct-horse' });
    const made = await api.call('POST', '/access/users/u@pve/token/tok', { privsep: 0 });
    const login = await api.call('POST', '/access/ticket', { username: 'u@pve', password: 'correct-horse' });
    const secrets = [
      lab.token.slice(lab.token.indexOf('=') + 1),
      'correct-horse',
      JSON.parse(made.text).data.value,
      lab.rootLogin().ticket,
    ];
    expect(login.status).toBe(403);
    api.close();
    const files = () => readdirSync(folder).map((name) => [name, content(name)] as const);
    const leaks = () =>
      files().filter(([name, text]) => name !== 'token' && secrets.some((secret) => text.includes(secret)));
    expect(leaks()).toEqual([]);
    await lab.stop();
    expect(leaks()).toEqual([]);
    for (const [name] of files()) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
  });
});
