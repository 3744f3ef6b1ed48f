/** Scheduled etcd snapshots of the fleet controller, and certificates that come near their end. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SECRETS } from '../../src/clients/kubernetes/index.js';
import { generateSecrets } from '../../src/secrets/generate.js';
import { formatTalosSecrets } from '../../src/secrets/talos-secrets.js';
import { Fleet, NAMESPACE } from '../support/fleet.js';
import { S3_KEYS, type S3StandIn, startS3 } from '../support/s3-server.js';
import { smallFile } from '../support/small-file.js';

let fleet: Fleet;
let store: S3StandIn;

/** A bundle whose authorities end in so many days. */
async function secretsEndingIn(days: number): Promise<string> {
  const TEN_YEARS = 3_650;
  const now = new Date(Date.now() - (TEN_YEARS - days) * 86_400_000);
  const random = (length: number) => randomBytes(length);
  return formatTalosSecrets(await generateSecrets({ now, random, rsaBits: 2048 }));
}

const secret = (name: string, stringData: Record<string, string>) =>
  fleet.client.create(
    SECRETS,
    { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NAMESPACE }, stringData },
    NAMESPACE,
  );

beforeAll(async () => {
  [fleet, store] = await Promise.all([Fleet.start(smallFile()), startS3()]);
  await fleet.giveSecrets();
  await secret('store', { AWS_ACCESS_KEY_ID: S3_KEYS.access, AWS_SECRET_ACCESS_KEY: S3_KEYS.secret });
  await fleet.setConfig(smallFile());
  const backup = {
    to: 's3://backup/etcd',
    endpoint: store.endpoint,
    region: 'eu-lab-1',
    credentialsRef: { name: 'store' },
    at: ['02:30'],
    timeZone: 'Europe/Berlin',
    keep: 2,
  };
  await fleet.createCluster({ secretsRef: { name: 'given' }, backup });
  const replica = fleet.replica('one');
  await fleet.reconcile(replica);
  expect(store.objects.size).toBe(0);
  await fleet.approve(await fleet.planId());
  for (let round = 0; round < 6 && (await fleet.conditions()).Ready !== 'True Succeeded'; round += 1)
    await fleet.reconcile(replica);
  expect(await fleet.conditions()).toMatchObject({ Ready: 'True Succeeded' });
}, 120_000);
afterAll(async () => {
  await fleet?.stop();
  await store?.close();
});

const names = () => [...store.objects.keys()].map((key) => key.replace(/^.*\//, '')).sort();

it('takes one at once, then at the time of day of its time zone, and keeps so many', async () => {
  const replica = fleet.replica('one');
  expect(names()).toHaveLength(1);
  expect([...store.objects.keys()][0]).toMatch(/^etcd\/team-a\/small\/etcd-20260601T10\d{4}Z\.snapshot$/);
  expect(await fleet.conditions()).toMatchObject({
    BackedUp: 'True Succeeded',
    CertificatesValid: 'True Valid',
  });
  expect(await fleet.eventReasons()).toContain('BackupDone');
  await fleet.reconcile(replica);
  expect(names()).toHaveLength(1);
  fleet.time.set('2026-06-02T00:29:00Z');
  // Half past two in Berlin is half past midnight UTC: in a minute.
  expect(await fleet.reconcile(replica)).toBeLessThanOrEqual(60_000);
  expect(names()).toHaveLength(1);
  fleet.time.set('2026-06-02T00:30:00Z');
  await fleet.reconcile(replica);
  expect(names()).toHaveLength(2);
  // Two days away: one is made up for.
  fleet.time.set('2026-06-04T09:00:00Z');
  await fleet.reconcile(replica);
  await fleet.reconcile(replica);
  expect(names()).toEqual(['etcd-20260602T003000Z.snapshot', 'etcd-20260604T090000Z.snapshot']);
});

it('says that one failed, keeps the others, and tries again', async () => {
  const replica = fleet.replica('one');
  fleet.time.set('2026-06-05T00:31:00Z');
  store.keeps = (body) => body.subarray(0, body.length - 1);
  expect(await fleet.reconcile(replica)).toBeLessThanOrEqual(600_000);
  expect(await fleet.conditions()).toMatchObject({ BackedUp: 'False Failed', Ready: 'True Succeeded' });
  expect(await fleet.message('BackedUp')).toMatch(/read back with other content/);
  expect(await fleet.eventReasons()).toContain('BackupFailed');
  expect(fleet.metrics.text()).toContain('oxherd_backups_total{outcome="failed"} 1');
  const kept = names();
  expect(kept).toContain('etcd-20260604T090000Z.snapshot');
  store.keeps = (body) => body;
  await fleet.reconcile(replica);
  expect(names()).toEqual(kept);
  fleet.time.pass(600_000);
  await fleet.reconcile(replica);
  expect(await fleet.conditions()).toMatchObject({ BackedUp: 'True Succeeded' });
  expect(names()).toContain('etcd-20260605T004100Z.snapshot');
});

it('takes none while another replica does', async () => {
  fleet.time.set('2026-06-06T00:31:00Z');
  const before = names();
  const other = await fleet.replica('two').leases.acquire(NAMESPACE, 'oxherd-backup-small');
  await fleet.reconcile(fleet.replica('one'));
  expect(names()).toEqual(before);
  if ('held' in other) await other.held.release();
  await fleet.reconcile(fleet.replica('one'));
  expect(names()).not.toEqual(before);
});

it('tells of authorities that end soon, once', async () => {
  await secret('old', { 'secrets.yaml': await secretsEndingIn(10) });
  await fleet.setConfig(smallFile().replace('name: small', 'name: aged'), 'aged');
  await fleet.createCluster({ secretsRef: { name: 'old' } }, 'aged');
  const replica = fleet.replica('one');
  await fleet.reconcile(replica, 'aged');
  await fleet.reconcile(replica, 'aged');
  expect(await fleet.conditions('aged')).toMatchObject({ CertificatesValid: 'False EndsSoon' });
  expect(await fleet.message('CertificatesValid', 'aged')).toMatch(/Talos CA: ends in \d+ days/);
  const told = (await fleet.eventReasons()).filter((reason) => reason === 'CertificateEnds');
  expect(told).toHaveLength(1);
});
