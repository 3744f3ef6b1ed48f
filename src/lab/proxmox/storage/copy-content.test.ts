import { expect, it } from 'vitest';
import { openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';

const world = findProfile('recordings')?.world([]) ?? { hosts: [], storages: [] };
const CONTENT = '/nodes/pve1/storage/vmdata/content';

it('copies a volume under another name, once', async () => {
  const bench = openBench(world);
  await bench.send('POST', CONTENT, { vmid: 900, filename: 'vm-900-disk-0.raw', size: '64M' });
  const copy = () =>
    bench.run('POST', `${CONTENT}/900/vm-900-disk-0.raw`, { target: '901/vm-901-disk-0.raw' });
  expect(await copy()).toBe('OK');
  const { data } = await bench.send('GET', CONTENT, { vmid: 901 });
  expect(data).toMatchObject([{ volid: 'vmdata:901/vm-901-disk-0.raw', size: 64 * 1024 ** 2 }]);
  expect(await copy()).toContain('already exists');
});
