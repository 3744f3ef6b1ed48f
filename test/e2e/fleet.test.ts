/** The fleet controller on a simulated Kubernetes API and the lab's Proxmox: the life of one cluster, in order. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectProxmox } from '../../src/clients/proxmox/client.js';
import { CLUSTERS, PLANS } from '../../src/controller/api/group.js';
import { Fleet, NAMESPACE, statusOf } from '../support/fleet.js';
import { smallFile } from '../support/small-file.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start(smallFile());
  await fleet.giveSecrets();
});
afterAll(() => fleet?.stop());

const LEASE_MS = 16_000;
const vms = () => fleet.lab.proxmox.pve.db.vms.size;

/** What a person does in the web interface of Proxmox. */
async function byHand(work: (hand: ReturnType<typeof connectProxmox>) => Promise<unknown>): Promise<void> {
  const { lab } = fleet;
  const hand = connectProxmox({
    endpoints: [lab.endpoint],
    token: lab.token,
    tls: { kind: 'fingerprint', sha256: lab.fingerprint },
    clock: lab.clock,
    random: () => 0.5,
  });
  await work(hand).finally(() => hand.close());
}

describe('a cluster of the fleet', () => {
  it('with a config that is not valid says where, and reads no file of the controller', async () => {
    const replica = fleet.replica('one');
    await fleet.setConfig(`${smallFile()}\nnope: 1\n`);
    await fleet.createCluster({ secretsRef: { name: 'given' } });
    await fleet.reconcile(replica);
    expect(await fleet.conditions()).toMatchObject({
      ConfigValid: 'False Invalid',
      Stalled: 'True ConfigInvalid',
    });
    expect(await fleet.message('ConfigValid')).toMatch(/oxherd\.yaml:\d+:\d+.*nope/s);
    await fleet.setConfig(smallFile({ more: 'kubernetes: { manifests: [{ file: /etc/passwd }] }\n' }));
    await fleet.reconcile(replica);
    expect(await fleet.conditions()).toMatchObject({ ConfigValid: 'False Invalid' });
  });

  it('waits with its plan for a person who may approve it', async () => {
    const replica = fleet.replica('one');
    await fleet.setConfig(smallFile());
    await fleet.reconcile(replica);
    expect(await fleet.conditions()).toMatchObject({
      ConfigValid: 'True Valid',
      Observed: 'True Succeeded',
      InSync: 'False Differs',
      AwaitingApproval: 'True AwaitingApproval',
      Ready: 'False AwaitingApproval',
      Stalled: 'False AwaitingApproval',
    });
    const planId = await fleet.planId();
    expect((await fleet.client.list(PLANS, { namespace: NAMESPACE })).length).toBe(1);
    await expect(fleet.approve(planId, { as: fleet.viewer, by: 'viewer' })).rejects.toMatchObject({
      code: 'kubernetes.forbidden',
    });
    await fleet.approve('0'.repeat(64));
    await fleet.reconcile(replica);
    expect(await fleet.eventReasons()).toContain('ApprovalStale');
    expect(vms()).toBe(0);
  });

  it('is finished by another replica when one is killed, twice, and each VM is created once', async () => {
    await fleet.approve(await fleet.planId());
    let done = 0;
    const first = await fleet.mortal('first', (line) => line.includes('"step-done"') && ++done === 6);
    await fleet.reconcile(first.context).catch(() => undefined);
    expect(first.isCut()).toBe(true);
    expect(vms()).toBeGreaterThan(0);

    const second = await fleet.mortal('second', (line) => /"step-started".*configure/.test(line));
    await fleet.reconcile(second.context);
    expect(await fleet.conditions()).toMatchObject({ Ready: 'False Applying' });
    fleet.time.pass(LEASE_MS);
    await fleet.reconcile(second.context).catch(() => undefined);
    expect(second.isCut()).toBe(true);

    const third = fleet.replica('third');
    await fleet.reconcile(third);
    fleet.time.pass(LEASE_MS);
    expect(await fleet.reconcile(third)).toBe(0);
    await fleet.reconcile(third);
    expect(await fleet.conditions()).toMatchObject({
      Ready: 'True Succeeded',
      InSync: 'True Succeeded',
      Healthy: 'True Healthy',
    });
    expect([...fleet.creations().values()].every((count) => count === 1)).toBe(true);
    expect(statusOf(await fleet.cluster()).run).toBeUndefined();
  });

  it('sees drift, waits for its window by policy, and sets it right there', async () => {
    const replica = fleet.replica('third');
    const windows = [{ start: '22:00', end: '23:00', timeZone: 'Europe/Berlin' }];
    await fleet.changeCluster({ policy: { auto: 'restart', windows } });
    await fleet.setConfig(smallFile({ worker: ', memory: 5GiB' }));
    await byHand((hand) => hand.updateVm('pve2', 151, { set: { cores: '1' } }));
    await fleet.reconcile(replica);
    expect(await fleet.conditions()).toMatchObject({ Drifted: 'True Drift', Ready: 'False AwaitingWindow' });
    fleet.time.set('2026-06-01T20:10:00Z');
    await fleet.changeCluster({ suspend: true });
    await fleet.reconcile(replica);
    expect(await fleet.conditions()).toMatchObject({ Ready: 'False Suspended' });
    await fleet.changeCluster({ suspend: false });
    expect(await fleet.reconcile(replica)).toBe(0);
    await fleet.reconcile(replica);
    expect(await fleet.conditions()).toMatchObject({ Drifted: 'False None', Ready: 'True Succeeded' });
  });

  it('is destroyed with an approval alone when its object is deleted, and its data stays', async () => {
    const replica = fleet.replica('third');
    const volumes = () => fleet.lab.proxmox.pve.db.volumes.size;
    await fleet.changeCluster({ deletionPolicy: 'Destroy' });
    await fleet.client.delete(CLUSTERS, 'small', { namespace: NAMESPACE });
    await fleet.reconcile(replica);
    expect(await fleet.conditions()).toMatchObject({ AwaitingApproval: 'True AwaitingApproval' });
    const before = vms();
    await fleet.approve(await fleet.planId());
    expect(await fleet.reconcile(replica)).toBe(0);
    await fleet.reconcile(replica);
    expect(await fleet.cluster()).toBeUndefined();
    expect(vms()).toBeLessThan(before);
    expect(volumes()).toBeGreaterThan(0);
  });
});
