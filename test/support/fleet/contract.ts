/** The life of one cluster of a fleet, in order: the same on the lab's own Kubernetes API and on a real one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectProxmox } from '../../../src/clients/proxmox/client.js';
import { APPROVALS, CLUSTERS, PLANS, SITES } from '../../../src/controller/api/group.js';
import { reconcileSite } from '../../../src/controller/reconcile/reconcile-site.js';
import type { KubernetesKind } from '../../../src/model/kubernetes-kind.js';
import { Fleet, NAMESPACE, statusOf } from '../fleet.js';
import { smallFile } from '../small-file.js';

export function describeFleet(kind: KubernetesKind): void {
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await Fleet.start(smallFile(), kind);
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

  describe(`a cluster of the fleet, ${kind} API`, () => {
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
      const editor = await fleet.person('erin', 'oxherd-editor');
      await expect(fleet.approve(planId, { as: editor, by: 'erin' })).rejects.toMatchObject({
        code: 'kubernetes.forbidden',
      });
      const approver = await fleet.person('amy', 'oxherd-approver');
      await expect(fleet.approve(planId, { as: approver, by: 'erin' })).rejects.toMatchObject({
        code: 'kubernetes.forbidden',
        message: expect.stringContaining('your own user name: amy'),
      });
      const edit = approver.patch(
        CLUSTERS,
        'small',
        { spec: { suspend: true } },
        { kind: 'merge', namespace: NAMESPACE },
      );
      await expect(edit).rejects.toMatchObject({ code: 'kubernetes.forbidden' });
      const stale = await fleet.approve('0'.repeat(64), { as: approver, by: 'amy' });
      const late = { kind: 'merge', namespace: NAMESPACE } as const;
      await expect(
        fleet.client.patch(APPROVALS, stale, { spec: { planId: '1'.repeat(64) } }, late),
      ).rejects.toMatchObject({ code: 'kubernetes.invalid' });
      const expired = await fleet.approve(planId, { expires: '2026-06-01T09:00:00Z' });
      await fleet.reconcile(replica);
      expect(await fleet.eventReasons()).toContain('ApprovalStale');
      expect(await fleet.approvalPhases()).toMatchObject({ [stale]: 'Stale', [expired]: 'Expired' });
      expect(await fleet.message('AwaitingApproval')).toContain('approval by admin has expired');
      expect(vms()).toBe(0);
    });

    it('is the only one that has its cluster', async () => {
      await fleet.createCluster(
        { source: { configMap: { name: 'small' } }, deletionPolicy: 'Destroy' },
        'twin',
      );
      await fleet.reconcile(fleet.replica('one'), 'twin');
      expect(await fleet.conditions('twin')).toMatchObject({
        ConfigValid: 'False Conflict',
        Stalled: 'True Conflict',
      });
      expect(await fleet.message('Stalled', 'twin')).toMatch(
        /cluster small on site rack belongs to OxherdCluster team-a\/small already \(.*another cluster name/,
      );
      await fleet.client.delete(CLUSTERS, 'twin', { namespace: NAMESPACE });
      await fleet.reconcile(fleet.replica('one'), 'twin');
      expect(await fleet.cluster('twin')).toBeUndefined();
      expect(await fleet.cluster()).toBeDefined();
    });

    it('is finished by another replica when one is killed, twice, and each VM is created once', async () => {
      const twice = [await fleet.approve(await fleet.planId()), await fleet.approve(await fleet.planId())];
      let done = 0;
      const first = await fleet.mortal('first', (line) => line.includes('"step-done"') && ++done === 6);
      await fleet.reconcile(first.context).catch(() => undefined);
      expect(first.isCut()).toBe(true);
      expect(vms()).toBeGreaterThan(0);
      const phases = await fleet.approvalPhases();
      expect(twice.map((name) => phases[name])).toEqual(['Used', 'Used']);

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

    it('is written to by no one while nothing changes', async () => {
      const replica = fleet.replica('third');
      await reconcileSite(replica, 'rack');
      const versions = async () =>
        [
          ...(await fleet.client.list(SITES)),
          ...(await fleet.client.list(CLUSTERS, { namespace: NAMESPACE })),
          ...(await fleet.plans()),
          ...(await fleet.client.list(APPROVALS, { namespace: NAMESPACE })),
        ].map(({ kind, metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
      const before = await versions();
      const events = await fleet.eventReasons();
      for (let round = 0; round < 2; round += 1) {
        fleet.time.pass(600_000);
        expect(await fleet.reconcile(replica)).toBe(600_000);
        expect(await reconcileSite(replica, 'rack')).toBe(60_000);
      }
      expect(await versions()).toEqual(before);
      expect(await fleet.eventReasons()).toEqual(events);
    });

    it('is on a site whose state is known', async () => {
      const replica = fleet.replica('third');
      const site = async () => fleet.client.get(SITES, 'rack');
      expect(await site()).toMatchObject({
        status: {
          reachable: true,
          version: expect.stringMatching(/^9\./),
          hosts: ['pve1', 'pve2', 'pve3'].map((name) => ({ name, online: true })),
        },
      });
      await fleet.setToken('oxherd@pve!fleet=00000000-0000-4000-8000-000000000000');
      await reconcileSite(replica, 'rack');
      await fleet.reconcile(replica);
      expect(statusOf(await site()).conditions.find(({ type }) => type === 'Ready')).toMatchObject({
        status: 'False',
        reason: 'NotReachable',
        observedGeneration: 1,
      });
      expect(JSON.stringify(await site())).not.toContain('00000000-0000-4000');
      await fleet.setToken(fleet.lab.token);
      await reconcileSite(replica, 'rack');
      expect(statusOf(await site()).conditions[0]).toMatchObject({ type: 'Ready', status: 'True' });
    });

    it('keeps its VMs from another cluster that names them', async () => {
      const replica = fleet.replica('third');
      await fleet.setConfig(smallFile().replace('name: small', 'name: other'), 'other');
      await fleet.createCluster({ secretsRef: { name: 'given' } }, 'other');
      await fleet.reconcile(replica, 'other');
      expect(await fleet.conditions('other')).toMatchObject({ Stalled: 'True PlanProblems' });
      expect(await fleet.message('Stalled', 'other')).toMatch(
        /VM id 141 is taken.*give node cp-1 another vmid/,
      );
      await fleet.client.delete(CLUSTERS, 'other', { namespace: NAMESPACE });
      await fleet.reconcile(replica, 'other');
      expect(await fleet.cluster('other')).toBeUndefined();
    });

    it('sees drift, waits for its window by policy, and sets it right there', async () => {
      const replica = fleet.replica('third');
      const windows = [{ start: '22:00', end: '23:00', timeZone: 'Europe/Berlin' }];
      await fleet.changeCluster({ policy: { auto: 'restart', windows } });
      await fleet.setConfig(smallFile({ worker: ', memory: 5GiB' }));
      await byHand((hand) => hand.updateVm('pve2', 151, { set: { cores: '1' } }));
      await fleet.reconcile(replica);
      expect(await fleet.conditions()).toMatchObject({
        Drifted: 'True Drift',
        Ready: 'False AwaitingWindow',
      });
      fleet.time.set('2026-06-01T20:10:00Z');
      await fleet.changeCluster({ suspend: true });
      await fleet.reconcile(replica);
      expect(await fleet.conditions()).toMatchObject({ Ready: 'False Suspended' });
      await fleet.changeCluster({ suspend: false });
      expect(await fleet.reconcile(replica)).toBe(0);
      await fleet.reconcile(replica);
      expect(await fleet.conditions()).toMatchObject({ Drifted: 'False None', Ready: 'True Succeeded' });
    });

    it('stays as it is when its object is deleted, and another object finds it in order', async () => {
      const replica = fleet.replica('third');
      const before = vms();
      await fleet.client.delete(CLUSTERS, 'small', { namespace: NAMESPACE });
      await fleet.reconcile(replica);
      expect(await fleet.cluster()).toBeUndefined();
      expect(vms()).toBe(before);
      await fleet.createCluster({ secretsRef: { name: 'given' } });
      await fleet.reconcile(replica);
      expect(await fleet.conditions()).toMatchObject({ Ready: 'True Succeeded', InSync: 'True Succeeded' });
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
}
