import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findServingLab, startControl } from './control.js';
import { startLab } from './index.js';
import { folderState } from './state.js';

it('a lab that serves takes orders from whoever can read its lock', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'oxherd-control-'));
  const state = await folderState(folder);
  const lab = await startLab({ state });
  expect(findServingLab(folder)).toBeUndefined();
  const control = await startControl(lab);
  state.lock.announce(control);

  const serving = findServingLab(folder);
  expect(await serving?.address()).toMatchObject({
    endpoint: lab.endpoint,
    token: lab.token,
    fingerprint: lab.fingerprint,
  });
  await serving?.switchFault({ name: 'host-down', subject: 'pve1', countdown: null, on: true });
  expect(lab.core.faults.holds('host-down', 'pve1')).toBe(true);
  await serving?.switchFault({ name: 'host-down', subject: '', countdown: null, on: false });
  expect(lab.core.faults.list()).toEqual([]);

  const stranger = await fetch(`${control.url}/address`, { headers: { authorization: 'Bearer wrong' } });
  expect([stranger.status, await stranger.text()]).toEqual([403, '']);
  const nonsense = await fetch(`${control.url}/fault`, {
    method: 'POST',
    headers: { authorization: `Bearer ${control.secret}` },
    body: '{"name":"nope"}',
  });
  expect(nonsense.status).toBe(400);

  await control.close();
  await lab.stop();
  expect(findServingLab(folder)).toBeUndefined();
  rmSync(folder, { recursive: true });
});
