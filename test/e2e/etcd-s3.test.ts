/** Snapshots of etcd in an S3-compatible store, through the command line; the stand-in checks every signature. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CliFolder, ended, labFile } from '../support/cli.js';
import { smallCluster } from '../support/configs.js';
import { S3_KEYS, type S3StandIn, startS3 } from '../support/s3-server.js';

const KEEP = 2;
const FILE = `${smallCluster({ controlPlanes: 1, workers: 1, hosts: ['pve1'] })}
policy: { keep: { snapshots: ${KEEP} } }
`;
const TO = ['--to', 's3://backup/etcd'];

let folder: CliFolder;
let store: S3StandIn;
beforeAll(async () => {
  folder = CliFolder.make(FILE);
  ended(await folder.lab('apply', '--yes'));
});
afterAll(() => folder.remove());
beforeEach(async () => {
  store = await startS3();
});
afterEach(() => store.close());

function env(more: Record<string, string> = {}): Record<string, string> {
  return { AWS_ACCESS_KEY_ID: S3_KEYS.access, AWS_SECRET_ACCESS_KEY: S3_KEYS.secret, ...more };
}

async function etcd(args: readonly string[], environment = env()) {
  const place = ['--endpoint', store.endpoint, '--region', 'eu-lab-1'];
  const result = await folder.run(['--lab', 'etcd', ...args, ...place], { env: environment });
  expect(result.stdout + result.stderr).not.toContain(S3_KEYS.secret);
  return result;
}

const keys = () => [...store.objects.keys()].sort();

describe('etcd backup to a bucket', () => {
  it('uploads a whole snapshot, reads it back, and a drill restores it', async () => {
    const { exit, stdout, stderr } = await etcd(['backup', ...TO, '--json']);
    expect(stderr).not.toContain('error');
    expect(exit).toBe(0);
    const said: { path: string; sha256: string; size: number; node: string } = JSON.parse(stdout);
    expect(said.path).toMatch(/^s3:\/\/backup\/etcd\/small\/etcd-\d{8}T\d{6}Z\.snapshot$/);
    const [key = ''] = keys();
    expect(`s3://backup/${key}`).toBe(said.path);
    const stored = store.objects.get(key) ?? Buffer.alloc(0);
    expect(createHash('sha256').update(stored).digest('hex')).toBe(said.sha256);
    expect(said).toMatchObject({ size: stored.length, node: 'cp-1' });
    expect(store.requests).toContain(`GET /backup/${key}`);
    for (const place of [said.path, 's3://backup/etcd/small/']) {
      const drill = await etcd(['verify', place, '--json']);
      expect(JSON.parse(drill.stdout)).toMatchObject({ path: said.path, sha256: said.sha256 });
    }
    stored[5_000] = (stored[5_000] ?? 0) ^ 1;
    const damaged = await etcd(['verify', said.path]);
    expect(damaged.exit).toBe(1);
    expect(damaged.stderr).toContain(`${said.path} is no whole snapshot of etcd`);
  });

  it('takes one only when it is due, and keeps as many as the policy says', async () => {
    const backup = async () => JSON.parse((await etcd(['backup', ...TO, '--every', '6h', '--json'])).stdout);
    const foreign = [
      'etcd/other/etcd-20200101T000000Z.snapshot',
      'etcd/small/notes.txt',
      'etcd/small/etcd-mine.snapshot',
    ];
    const old = ['20200101', '20200102', '20200103'].map((day) => `etcd/small/etcd-${day}T000000Z.snapshot`);
    for (const key of [...foreign, ...old]) store.objects.set(key, Buffer.from('x'));
    const first = await backup();
    const left = [
      ...foreign,
      'etcd/small/etcd-20200103T000000Z.snapshot',
      first.path.slice('s3://backup/'.length),
    ];
    expect(keys()).toEqual(left.sort());
    expect(await backup()).toMatchObject({ path: first.path, taken: false });
    // The newest one is damaged: it is no backup, whatever its age.
    store.objects.set(first.path.slice('s3://backup/'.length), Buffer.from('cut'));
    expect(await backup()).toMatchObject({ sha256: expect.any(String) });
  });

  it('deletes what was stored otherwise than sent, and none of the older ones', async () => {
    const old = ['20200101', '20200102', '20200103'].map((day) => `etcd/small/etcd-${day}T000000Z.snapshot`);
    for (const key of old) store.objects.set(key, Buffer.from('x'));
    store.keeps = (body) => body.subarray(0, body.length - 1);
    const { exit, stderr } = await etcd(['backup', ...TO]);
    expect(exit).toBe(1);
    expect(stderr).toContain('was read back with other content than was sent');
    expect(keys()).toEqual(old);
  });

  it('goes on after a store that was busy', async () => {
    store.busy = 2;
    expect((await etcd(['backup', ...TO])).exit).toBe(0);
    expect(keys()).toHaveLength(1);
  });

  it.each([
    ['a wrong secret', { AWS_SECRET_ACCESS_KEY: 'another' }, TO, /403 SignatureDoesNotMatch/],
    ['a wrong key', { AWS_ACCESS_KEY_ID: 'another' }, TO, /403 InvalidAccessKeyId/],
    ['no secret', { AWS_SECRET_ACCESS_KEY: '' }, TO, /AWS_SECRET_ACCESS_KEY is not set/],
    ['no such bucket', {}, ['--to', 's3://other/etcd'], /404 NoSuchBucket/],
    ['no address', {}, ['--to', 's3:backup'], /is not an address of an S3 bucket/],
    ['a way up', {}, ['--to', 's3://backup/../x/y'], /is not an address of an S3 bucket/],
    ['two places', {}, [...TO, '--out', 'x'], /two places for one snapshot/],
    ['the secret itself', {}, [...TO, '--secret-key', S3_KEYS.secret], /does not say where the key is/],
  ])('fails with %s, and says what to do', async (_, environment, args, says) => {
    const { exit, stderr } = await etcd(['backup', ...args], env(environment));
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/next {2}/);
    expect(exit).toBe(1);
    expect(keys()).toEqual([]);
  });

  it('sends no snapshot in the clear to another machine', async () => {
    const args = ['--lab', 'etcd', 'backup', ...TO, '--endpoint', 'http://minio.example:9000'];
    const { exit, stderr } = await folder.run(args, { env: env() });
    expect(exit).toBe(1);
    expect(stderr).toContain('http://minio.example:9000 is not encrypted');
  });

  it('takes keys from files', async () => {
    folder.write('access.txt', `${S3_KEYS.access}\n`);
    folder.write('secret.txt', `${S3_KEYS.secret}\n`);
    const refs = ['--access-key', 'file:access.txt', '--secret-key', 'file:secret.txt'];
    expect((await etcd(['backup', ...TO, ...refs], {})).exit).toBe(0);
    expect(keys()).toHaveLength(1);
  });
});

describe('etcd restore from a bucket', () => {
  it('keeps the file, and begins again with it', async () => {
    const { path } = JSON.parse((await etcd(['backup', ...TO, '--json'])).stdout);
    const asked = await etcd(['restore', path]);
    expect(asked.exit).toBe(1);
    ended(await etcd(['restore', path, '--confirm', 'small']));
    const name = path.slice(path.lastIndexOf('/') + 1);
    const key = path.slice('s3://backup/'.length);
    expect(readdirSync(labFile(folder.path))).toContain(name);
    expect(readFileSync(labFile(folder.path, name)).equals(store.objects.get(key) ?? Buffer.alloc(0))).toBe(
      true,
    );
    expect((await folder.lab('plan', '--exit-code')).exit).toBe(0);
  });
});
