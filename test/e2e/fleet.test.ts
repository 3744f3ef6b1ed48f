/** The fleet controller on a simulated Kubernetes API and the lab's Proxmox, from the object to a running cluster. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTERS } from '../../src/controller/api/group.js';
import { Fleet, NAMESPACE } from '../support/fleet.js';
import { smallFile } from '../support/small-file.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start(smallFile());
});
afterAll(() => fleet?.stop());

describe('a cluster of the fleet', () => {
  it('is planned, approved, applied and then in sync', async () => {
    const replica = fleet.replica('one');
    await fleet.setConfig(smallFile());
    await fleet.createCluster();
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
    expect(await fleet.plans()).toHaveLength(1);
    expect(fleet.lab.proxmox.pve.db.vms.size).toBe(0);
    await fleet.approve(planId);
    expect(await fleet.reconcile(replica)).toBe(0);
    await fleet.reconcile(replica);
    expect(await fleet.conditions()).toMatchObject({
      Ready: 'True Succeeded',
      InSync: 'True Succeeded',
      Healthy: 'True Healthy',
    });
    expect(await fleet.eventReasons()).toEqual(
      expect.arrayContaining(['PlanCreated', 'RunStarted', 'RunDone']),
    );
  });

  it('is left as it is when its object is deleted', async () => {
    const vms = fleet.lab.proxmox.pve.db.vms.size;
    await fleet.client.delete(CLUSTERS, 'small', { namespace: NAMESPACE });
    await fleet.reconcile(fleet.replica('one'));
    expect(await fleet.cluster()).toBeUndefined();
    expect(fleet.lab.proxmox.pve.db.vms.size).toBe(vms);
  });
});
