/** Replicas that are killed or cut off at each kind of event of a run, a person at the same time, and maintenance of a host. */
import { afterEach, describe, expect, it } from 'vitest';
import { printHolder } from '../../src/apply/lock/holder.js';
import { lockPools } from '../../src/apply/lock/pools.js';
import { connectProxmox } from '../../src/clients/proxmox/client.js';
import { API_VERSION, APPROVALS, MAINTENANCES } from '../../src/controller/api/group.js';
import type { ControllerContext } from '../../src/controller/controller-context.js';
import { reconcileMaintenance } from '../../src/controller/reconcile/reconcile-maintenance.js';
import { Fleet, OWN_NAMESPACE } from '../support/fleet.js';
import { smallFile } from '../support/small-file.js';

let fleet: Fleet | undefined;
afterEach(async () => {
  await fleet?.stop();
  fleet = undefined;
});

const LEASE_MS = 16_000;

/** A fleet with one cluster that is approved and not yet built. */
async function approved(): Promise<Fleet> {
  const made = await Fleet.start(smallFile());
  fleet = made;
  await made.giveSecrets();
  await made.setConfig(smallFile());
  await made.createCluster({ secretsRef: { name: 'given' } });
  await made.reconcile(made.replica('zero'));
  await made.approve(await made.planId());
  return made;
}

/** Another replica sees the lease end, and finishes under the same approval. */
async function finishes(made: Fleet, replica: ControllerContext): Promise<void> {
  await made.reconcile(replica);
  made.time.pass(LEASE_MS);
  for (let round = 0; round < 4; round += 1) {
    await made.reconcile(replica);
    if ((await made.conditions()).Ready === 'True Succeeded') break;
    made.time.pass(LEASE_MS);
  }
  expect(await made.conditions()).toMatchObject({ Ready: 'True Succeeded', InSync: 'True Succeeded' });
  expect([...made.creations().values()].every((count) => count === 1)).toBe(true);
  expect((await made.eventReasons()).filter((reason) => reason === 'RunFailed')).toEqual([]);
}

describe('a replica that is killed', () => {
  it.each(['run-started', 'step-started', 'step-progress', 'step-done', 'run-ended'])(
    'at the event %s leaves what another one finishes',
    async (kind) => {
      const made = await approved();
      let seen = 0;
      const at = kind.startsWith('step-') ? 8 : 1;
      const victim = await made.mortal(
        'victim',
        (line) => line.includes(`"message":"${kind}"`) && ++seen === at,
      );
      await made.reconcile(victim.context).catch(() => undefined);
      expect(victim.isCut()).toBe(true);
      await finishes(made, made.replica('heir'));
    },
  );
});

describe('a run', () => {
  it.each(['kubernetes', 'proxmox'] as const)('that loses %s stops, and goes on later', async (cuts) => {
    const made = await approved();
    let seen = 0;
    const victim = await made.mortal('victim', (line) => line.includes('"step-done"') && ++seen === 5, cuts);
    await made.reconcile(victim.context).catch(() => undefined);
    expect(victim.isCut()).toBe(true);
    await finishes(made, made.replica('heir'));
  });

  it('waits while a person has the lock', async () => {
    const made = await approved();
    const { lab } = made;
    const hand = connectProxmox({
      endpoints: [lab.endpoint],
      token: lab.token,
      tls: { kind: 'fingerprint', sha256: lab.fingerprint },
      clock: lab.clock,
      random: () => 0.5,
    });
    const [pool = ''] = lockPools({ name: 'small', env: '' }, true);
    const person = {
      token: 'abcdef0123456789',
      host: 'laptop',
      pid: 7,
      runId: 'r1',
      since: '2026-06-01T10:00:00Z',
    };
    await hand.createPool(pool, printHolder(person));
    const replica = made.replica('one');
    await made.reconcile(replica);
    expect(await made.conditions()).toMatchObject({ LockHeld: 'True Held', Ready: 'False LockHeld' });
    expect(lab.proxmox.pve.db.vms.size).toBe(0);
    await hand.deletePool(pool);
    await hand.close();
    await finishes(made, replica);
  });
});

describe('maintenance of a host', () => {
  it('drains it for all clusters after one approval, and brings the nodes back', async () => {
    const made = await approved();
    const replica = made.replica('one');
    await finishes(made, replica);
    await made.client.create(MAINTENANCES, {
      apiVersion: API_VERSION,
      kind: MAINTENANCES.kind,
      metadata: { name: 'pve2' },
      spec: { siteRef: { name: 'rack' }, host: 'pve2', duration: '1h', acceptPodsDown: true },
    });
    const status = async (): Promise<{ phase?: string; planId?: string; message?: string }> => ({
      ...((await made.client.get(MAINTENANCES, 'pve2'))?.status ?? {}),
    });
    await reconcileMaintenance(replica, 'pve2');
    expect(await status()).toMatchObject({ phase: 'AwaitingApproval' });
    const { planId = '' } = await status();
    await made.client.create(
      APPROVALS,
      {
        apiVersion: API_VERSION,
        kind: APPROVALS.kind,
        metadata: { name: 'drain', namespace: OWN_NAMESPACE },
        spec: { clusterRef: { name: 'pve2' }, planId, approvedBy: 'admin', expires: '2027-01-01T00:00:00Z' },
      },
      OWN_NAMESPACE,
    );
    expect(await reconcileMaintenance(replica, 'pve2')).toBe(0);
    await reconcileMaintenance(replica, 'pve2');
    expect(await status()).toMatchObject({ phase: 'Drained' });
    const running = () =>
      [...made.lab.proxmox.pve.db.vms.values()].filter((vm) => vm.host === 'pve2' && vm.running !== undefined)
        .length;
    expect(running()).toBe(0);
    await made.client.delete(MAINTENANCES, 'pve2');
    for (let round = 0; round < 4 && (await made.client.get(MAINTENANCES, 'pve2')); round += 1)
      await reconcileMaintenance(replica, 'pve2');
    expect(await made.client.get(MAINTENANCES, 'pve2')).toBeUndefined();
    expect(running()).toBe(1);
  });
});
