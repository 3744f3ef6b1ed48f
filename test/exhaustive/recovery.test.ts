import { describe, expect, it, onTestFinished } from 'vitest';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { herd } from '../support/herd.js';
import { copiesOf, destroyVm, etcdOf, memberOf } from '../support/recovery.js';
import { expectNothingToDo } from '../support/rolling.js';

const FILE = herd({ controlPlanes: 3, workers: 1 });
const CONFIRM = ['--confirm', 'herd'];

const copy = copiesOf(FILE);
let site: ClusterSite;
async function open(): Promise<void> {
  site = await copy();
}

describe('a dead control plane', () => {
  it('returns as the member it was where its data is there', async () => {
    await open();
    const before = etcdOf(site);
    await destroyVm(site, 'pve2', 142);
    const shown = ended(await site.run('apply', '--yes'));
    expect(shown).not.toMatch(/remove member/);
    expect(etcdOf(site).members).toEqual(before.members);
    await expectNothingToDo(site);
  });

  it('joins as a new member where its data is gone: the old one is removed by its id first', async () => {
    await open();
    const { id } = etcdOf(site);
    const lost = memberOf(site, 'cp-2');
    await destroyVm(site, 'pve2', 142);
    await destroyVm(site, 'pve2', 1420);
    const shown = ended(await site.run('apply', '--yes'));
    expect(shown).toContain(`remove member ${BigInt(lost ?? 0).toString(16)} (cp-2) from etcd`);
    expect(shown).toContain('its data is lost: there is no data VM 1420');
    expect(shown).toContain('2 of 3 members must agree; 2 are healthy');
    expect(etcdOf(site).id).toBe(id);
    expect(etcdOf(site).members).toHaveLength(3);
    expect(memberOf(site, 'cp-2')).not.toBe(lost);
    await expectNothingToDo(site);
  });

  it('is given up only when someone says that a disk is lost for good', async () => {
    await open();
    const lost = memberOf(site, 'cp-2');
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve2', 142));
      await hand.updateVm('pve2', 142, { delete: ['scsi1'] });
      await hand.updateVm('pve2', 1420, { set: { protection: 0 } });
      await hand.updateVm('pve2', 1420, { delete: ['scsi0'] });
      await hand.updateVm('pve2', 1420, { delete: ['unused0'] });
    });
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/data VM 1420 has no disk ephemeral although it was created with one/);
    expect(refused.stdout).toMatch(/oxherd (--lab )?apply --fresh --only cp-2 --confirm herd/);
    expect((await site.run('apply', '--fresh', '--only', 'cp-2', '--yes')).stderr).toMatch(
      /say its name to confirm: oxherd --lab apply --fresh --only cp-2 --confirm herd/,
    );
    ended(await site.run('apply', '--fresh', '--only', 'cp-2', ...CONFIRM));
    expect(memberOf(site, 'cp-2')).not.toBe(lost);
    expect(etcdOf(site).members).toHaveLength(3);
    ended(await site.run('apply', '--yes'));
    await expectNothingToDo(site);
  });

  it('does not start while its volume is gone from the storage, and says what to do', async () => {
    await open();
    const volid = await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve2', 142));
      const { entries } = await hand.vmPending('pve2', 1420);
      const file = entries.scsi0?.value?.split(',')[0] ?? '';
      await hand.runTask(() => hand.deleteVolume('pve2', file));
      return file;
    });
    const refused = await site.run('apply', '--yes');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toContain(`data VM 1420 names ${volid}, and that volume no longer exists`);
    expect(refused.stdout).toMatch(
      /oxherd (--lab )?volumes forget cp-2\/ephemeral --confirm cp-2\/ephemeral/,
    );
    expect(etcdOf(site).members).toHaveLength(3);
  });

  it('whose data VM was destroyed under it starts again on new disks, when asked', async () => {
    await open();
    const { id } = etcdOf(site);
    await site.byHand((hand) => hand.runTask(() => hand.stopVm('pve2', 142)));
    await destroyVm(site, 'pve2', 1420);
    const refused = await site.run('apply', '--yes');
    expect(refused.stdout).toMatch(/VM 142 exists, but the data VM 1420 that owns its disks is missing/);
    const shown = ended(await site.run('apply', '--fresh', '--only', 'cp-2', ...CONFIRM));
    expect(shown).not.toMatch(/bootstrap etcd/);
    expect(etcdOf(site)).toMatchObject({ id, members: [{}, {}, {}] });
    await expectNothingToDo(site);
  });

  it('stays dead while the others have no quorum to remove it', async () => {
    await open();
    await destroyVm(site, 'pve2', 142);
    await destroyVm(site, 'pve2', 1420);
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve3', 143));
    });
    const refused = await site.run('apply', '--yes', '--only', 'cp-2');
    expect(refused.exit).toBe(1);
    expect(refused.stdout).toMatch(/cp-2 cannot rejoin etcd .*: etcd has no quorum/);
    expect(refused.stdout).toMatch(/oxherd (--lab )?etcd restore FILE --confirm herd/);
  });

  it('that is alive can start again as well, one at a time', async () => {
    await open();
    const before = memberOf(site, 'cp-3');
    ended(await site.run('apply', '--fresh', '--only', 'cp-3', ...CONFIRM));
    expect(memberOf(site, 'cp-3')).not.toBe(before);
    expect(ended(await site.run('volumes', 'list'))).toMatch(/cp-3\/ephemeral\.1 .*parked/);
    await expectNothingToDo(site);
  });
});

describe('a member that was removed', () => {
  it('never gets its old disk back: it is set aside, and the plan says so', async () => {
    await open();
    const removed = memberOf(site, 'cp-3');
    await destroyVm(site, 'pve3', 143);
    site.config = herd({ controlPlanes: 2, workers: 1 });
    const shown = ended(await site.run('apply', '--yes'));
    expect(shown).toMatch(/its VM 143 no longer exists, but etcd still has member/);
    expect(
      etcdOf(site)
        .members.map(({ name }) => name)
        .sort(),
    ).toEqual(['cp-1', 'cp-2']);
    await expectNothingToDo(site);

    site.config = FILE;
    const back = ended(await site.run('apply', '--yes'));
    expect(back).toMatch(/create new disk ephemeral .* on data VM 1430; the old one is kept as ephemeral\.1/);
    expect(back).toMatch(/its disk was that of etcd member [0-9a-f]+, which was removed and cannot rejoin/);
    expect(etcdOf(site).members).toHaveLength(3);
    expect(memberOf(site, 'cp-3')).not.toBe(removed);
    await expectNothingToDo(site);
  });

  it('by someone else, while its machine runs, is said and joins again when asked', async () => {
    await open();
    const removed = memberOf(site, 'cp-2') ?? '';
    site.room.etcd.remove(etcdOf(site).id, removed);
    site.room.settle();
    const plan = await site.run('plan');
    expect(plan.stdout).toMatch(/cp-2 runs etcd with the data of a member that was removed/);
    ended(await site.run('apply', '--fresh', '--only', 'cp-2', ...CONFIRM));
    expect(etcdOf(site).members).toHaveLength(3);
    expect(memberOf(site, 'cp-2')).not.toBe(removed);
    await expectNothingToDo(site);
  });

  it('that left by itself keeps its disk', async () => {
    await open();
    site.config = herd({ controlPlanes: 1, workers: 1 });
    ended(await site.run('apply', '--yes'));
    expect(etcdOf(site).members.map(({ name }) => name)).toEqual(['cp-1']);
    site.config = FILE;
    expect(ended(await site.run('apply', '--yes'))).not.toMatch(/create new disk ephemeral/);
    expect(etcdOf(site).members).toHaveLength(3);
    await expectNothingToDo(site);
  });
});

describe('the last control plane', () => {
  it('is exchanged for another one only when that is a voting member', async () => {
    const one = herd({ controlPlanes: 1, workers: 1 });
    site = await ClusterSite.open(one);
    onTestFinished(() => site.remove());
    ended(await site.run('apply', '--yes'));
    const { id } = etcdOf(site);
    site.lab.core.faults.set({ name: 'etcd-slow', subject: '149', countdown: null });
    site.config = one.replace(
      'cp-1: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }',
      'cp-9: { role: controlplane, host: pve2, ip: 10.20.30.49, vmid: 149 }',
    );
    const stuck = await site.run('apply', '--yes');
    expect(stuck.exit).toBe(1);
    expect(stuck.stdout).toMatch(/cp-9 is not ready: etcd: it is still a learner/);
    expect([...site.room.machines()].map((machine) => machine.vmid)).toContain(141);
    expect(
      etcdOf(site)
        .members.filter((member) => !member.learner)
        .map(({ name }) => name),
    ).toEqual(['cp-1']);
    expect((await site.run('apply', '--yes')).stdout).toMatch(
      /refusing to remove cp-1: 0 of the 1 remaining control planes are healthy/,
    );
    site.lab.core.faults.clear('etcd-slow', '149');
    ended(await site.run('apply', '--yes'));
    expect(etcdOf(site).id).toBe(id);
    expect(etcdOf(site).members.map(({ name }) => name)).toEqual(['cp-9']);
    await expectNothingToDo(site);
  });
});
