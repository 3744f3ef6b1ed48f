import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { recordings } from '../../profiles/recordings.js';
import type { FetchedFile } from '../api.js';
import { findVolume } from '../volumes.js';

const LOCAL = '/nodes/pve1/storage/local';
const SHA = 'ab'.repeat(32);
const GIB = 1024 ** 3;

/** An image as the lab's factory describes it. */
function image(format: string): FetchedFile {
  return {
    status: 200,
    reason: 'OK',
    size: 100_000_000,
    contentType: 'application/octet-stream',
    sha256: SHA,
    image: { schematic: 'abc', version: 'v1.12.0', arch: 'amd64', format, virtualSize: 4 * GIB },
  };
}

const download = (params: Record<string, string>) => ({
  content: 'import',
  filename: 'talos.qcow2',
  url: 'https://factory.lab/talos',
  ...params,
});

describe('a download of a factory image', () => {
  it('carries the system onto disks that are imported from it', async () => {
    const bench = openBench(recordings, { files: () => image('qcow2') });
    const params = download({ filename: 'new.qcow2', checksum: SHA, 'checksum-algorithm': 'sha256' });
    expect(await bench.run('POST', `${LOCAL}/download-url`, params)).toBe('OK');
    const scsi0 = 'local-zfs:0,import-from=local:import/new.qcow2';
    expect(await bench.run('POST', '/nodes/pve1/qemu', { vmid: 100, scsi0 })).toBe('OK');
    expect(findVolume(bench.pve.db, 'pve1', 'local-zfs:vm-100-disk-0')).toMatchObject({
      size: 4 * GIB,
      data: { system: { kind: 'talos', schematic: 'abc', version: 'v1.12.0', arch: 'amd64' } },
    });
    const { data } = await bench.send('GET', `${LOCAL}/content`, { content: 'import' });
    expect(data).toContainEqual(
      expect.objectContaining({ volid: 'local:import/new.qcow2', size: 100_000_000 }),
    );
  });

  it('that is there already is done with the right checksum, and refused without one', async () => {
    const bench = openBench(recordings, { files: () => image('qcow2') });
    const get = (params = {}) =>
      bench.run('POST', `${LOCAL}/download-url`, download({ filename: 'new.qcow2', ...params }));
    await get();
    expect(await get()).toBe("refusing to override existing file '/var/lib/vz/import/new.qcow2'");
    expect(await get({ checksum: SHA.toUpperCase(), 'checksum-algorithm': 'sha256' })).toBe('OK');
    expect(await get({ checksum: 'cd', 'checksum-algorithm': 'sha256' })).toBe(
      `checksum mismatch: got '${SHA}' != expect 'cd', aborting`,
    );
  });

  it('fails if it is no qcow2 although its name says so, or if nothing answers', async () => {
    const raw = openBench(recordings, { files: () => image('raw') });
    expect(await raw.run('POST', `${LOCAL}/download-url`, download({ filename: 'new.qcow2' }))).toMatch(
      /^failed to verify file: .*Image is not in qcow2 format$/,
    );
    const alone = openBench(recordings);
    expect(await alone.run('POST', `${LOCAL}/download-url`, download({ filename: 'new.qcow2' }))).toBe(
      'download failed: Connecting to factory.lab:443... failed: Connection refused.',
    );
    expect(findVolume(alone.pve.db, 'pve1', 'local:import/new.qcow2')).toBeUndefined();
  });

  it('that is packed boots where it was unpacked, and nowhere else', async () => {
    const bench = openBench(recordings, { files: () => image('raw.zst') });
    const get = (filename: string, params: Record<string, string> = {}) =>
      bench.run('POST', `${LOCAL}/download-url`, download({ content: 'iso', filename, ...params }));
    expect(await get('unpacked.img', { compression: 'zst' })).toBe('OK');
    expect(findVolume(bench.pve.db, 'pve1', 'local:iso/unpacked.img')).toMatchObject({
      size: 4 * GIB,
      data: { system: { kind: 'talos', schematic: 'abc' } },
    });
    expect(await get('packed.img')).toBe('OK');
    const packed = findVolume(bench.pve.db, 'pve1', 'local:iso/packed.img');
    expect(packed).toMatchObject({ size: 100_000_000 });
    expect(packed?.data).not.toHaveProperty('system');
    expect(await get('other.img', { compression: 'gz' })).toMatch(/^command 'zcat \S+' failed: exit code 1$/);
  });

  it('checks other algorithms over the bytes of a file', async () => {
    const body = new TextEncoder().encode('an image');
    const files = (): FetchedFile => ({
      status: 200,
      reason: 'OK',
      size: body.length,
      contentType: 'text/plain',
      sha256: createHash('sha256').update(body).digest('hex'),
      body,
    });
    const bench = openBench(recordings, { files });
    const checksum = createHash('md5').update(body).digest('hex');
    const params = download({ content: 'iso', filename: 'a.iso', checksum, 'checksum-algorithm': 'md5' });
    expect(await bench.run('POST', `${LOCAL}/download-url`, params)).toBe('OK');
  });
});
