/** Where a plan has no steps there is nothing to approve, whatever is in the way. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLUSTERS } from '../../src/controller/api/group.js';
import { readStatus } from '../../src/controller/api/objects.js';
import { Fleet, NAMESPACE } from '../support/fleet.js';
import { smallFile } from '../support/small-file.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start(smallFile());
  await fleet.giveSecrets();
  await fleet.setConfig(smallFile());
  await fleet.createCluster({ secretsRef: { name: 'given' } });
  await fleet.reconcile(fleet.replica('one'));
  await fleet.approve(await fleet.planId());
  await fleet.reconcile(fleet.replica('one'));
}, 300_000);
afterAll(() => fleet?.stop());

async function looked() {
  await fleet.reconcile(fleet.replica('one'));
  const { AwaitingApproval, Ready, InSync } = await fleet.conditions();
  const cluster = await fleet.cluster();
  return { AwaitingApproval, Ready, InSync, plan: cluster && readStatus(cluster).plan };
}

it('a cluster that matches its config', async () => {
  expect(await looked()).toMatchObject({
    AwaitingApproval: 'False NothingToApprove',
    Ready: 'True Succeeded',
    plan: undefined,
  });
  expect(await fleet.plans()).toHaveLength(1);
});

it('a config that is refused as a whole, or withdrawn while its plan waits', async () => {
  const phases = async () =>
    (await fleet.plans()).map(({ status }) => JSON.stringify(status?.['phase' as never]));
  const larger = smallFile({ worker: ', memory: 5GiB' });
  await fleet.setConfig(larger);
  expect(await looked()).toMatchObject({
    AwaitingApproval: 'True AwaitingApproval',
    plan: { impact: 'restart' },
  });
  expect(await phases()).toContain('"Pending"');
  await fleet.setConfig(smallFile().replace('name: small,', 'name: small, podSubnets: [10.245.0.0/16],'));
  const refused = { AwaitingApproval: 'False PlanProblems', Ready: 'False PlanProblems', plan: undefined };
  expect(await looked()).toMatchObject(refused);
  expect(await fleet.plans()).toHaveLength(2);
  expect(await phases()).not.toContain('"Pending"');
  await fleet.setConfig(larger);
  await looked();
  expect(await phases()).toContain('"Pending"');
  await fleet.setConfig(smallFile());
  expect(await looked()).toMatchObject({ Ready: 'True Succeeded', plan: undefined });
  expect(await phases()).not.toContain('"Pending"');
});

it('a machine that does not answer', async () => {
  const { faults } = fleet.lab.core;
  faults.set({ name: 'host-down', subject: 'pve2', countdown: null });
  const found = await looked();
  expect(found).toMatchObject({ AwaitingApproval: 'False NothingToApprove', plan: undefined });
  expect(found.Ready).toMatch(/^False (?:Unhealthy|NotObserved)$/);
  expect(JSON.stringify(await fleet.plans())).not.toContain('"phase":"Pending"');
  faults.clear('host-down');
});

it('a destruction that is refused: the object stays as long as its VMs do', async () => {
  const vm = fleet.lab.proxmox.pve.db.vms.get('151');
  if (!vm) throw new Error('there is no VM 151');
  const config = { ...vm.config, scsi9: 'local-zfs:vm-999-disk-0,size=1G' };
  fleet.lab.proxmox.pve.db.vms.put('151', { ...vm, config });
  await fleet.changeCluster({ deletionPolicy: 'Destroy' });
  await fleet.client.delete(CLUSTERS, 'small', { namespace: NAMESPACE });
  expect(await looked()).toMatchObject({
    AwaitingApproval: 'False PlanProblems',
    Ready: 'False PlanProblems',
    plan: undefined,
  });
  expect(await fleet.message('Ready')).toContain('VM 151 (work-1) cannot be removed');
});
