/** What happens to clusters of a fleet besides plans: files that come late, restarts, freezes, deletions, moves, and the controller's own cluster. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRETS } from '../../src/clients/kubernetes/index.js';
import { installFleet } from '../../src/controller/admin/fleet-admin.js';
import { API_VERSION, CLUSTERS, LEASES, MAINTENANCES, SITES } from '../../src/controller/api/group.js';
import { readConditions } from '../../src/controller/api/objects.js';
import { startController } from '../../src/controller/controller.js';
import { LeaseBook } from '../../src/controller/lease/lease-book.js';
import { reconcileCluster } from '../../src/controller/reconcile/reconcile-cluster.js';
import { reconcileMaintenance } from '../../src/controller/reconcile/reconcile-maintenance.js';
import { reconcileSite } from '../../src/controller/reconcile/reconcile-site.js';
import { hostLeaseName } from '../../src/controller/reconcile/run-cluster.js';
import { jsonLog } from '../../src/controller/serve/log.js';
import { parseTalosSecrets } from '../../src/secrets/talos-secrets.js';
import { until } from '../support/fleet/processes.js';
import { TestTime } from '../support/fleet/test-time.js';
import { FLEET_VALUES } from '../support/fleet/values.js';
import { Fleet, NAMESPACE, OWN_NAMESPACE } from '../support/fleet.js';
import { smallFile } from '../support/small-file.js';

const OTHER = 'team-b';
let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.start(smallFile());
  await fleet.giveSecrets();
  await installFleet(fleet.client, {
    ...FLEET_VALUES,
    namespace: OWN_NAMESPACE,
    namespaces: [NAMESPACE, OTHER],
  });
  const at = { kind: 'merge' } as const;
  await fleet.client.patch(SITES, 'rack', { spec: { allowedNamespaces: [NAMESPACE, OTHER] } }, at);
});
afterAll(() => fleet?.stop());

const vms = () => fleet.lab.proxmox.pve.db.vms.size;
/** Two nodes, and the VMs that hold their data volumes. */
const BUILT = 4;

describe('clusters of a fleet, in order', () => {
  it('wait for a config map that comes later, and a watch sees it come', async () => {
    const stop = new AbortController();
    const { ended, ready } = startController(fleet.replica('loop', { signal: stop.signal }));
    await fleet.createCluster({ secretsRef: { name: 'given' } });
    const is = (condition: string, wanted: string) =>
      until(`${condition} is ${wanted}`, async () => (await fleet.conditions())[condition] === wanted);
    await is('Stalled', 'True ConfigInvalid');
    expect(await fleet.message('Stalled')).toContain('there is no config map small in namespace team-a');
    await fleet.setConfig(smallFile());
    await is('AwaitingApproval', 'True AwaitingApproval');
    expect(ready()).toBe(true);
    stop.abort();
    await ended;
    const left = await fleet.client.list(LEASES, { namespace: OWN_NAMESPACE });
    expect(
      left
        .filter(({ metadata }) => metadata.name === 'oxherd-replica-loop')
        .map(({ spec }) => spec?.holderIdentity),
    ).toEqual(['']);
  });

  it('keep their plan when the controller is restarted in the middle of planning', async () => {
    const planId = await fleet.planId();
    const stop = new AbortController();
    const open = async () => {
      stop.abort(new Error('restarted'));
      return fleet.place();
    };
    const replica = fleet.replica('short', { signal: stop.signal, targetFor: () => ({ kind: 'lab', open }) });
    await fleet.reconcile(replica).catch(() => undefined);
    expect(stop.signal.aborted).toBe(true);
    await fleet.reconcile(fleet.replica('next'));
    expect(await fleet.planId()).toBe(planId);
    expect(await fleet.plans()).toHaveLength(1);
  });

  it('change nothing while they are frozen, whoever approved it', async () => {
    const replica = fleet.replica('one');
    await fleet.changeCluster({ policy: { freezeUntil: '2026-06-01T10:30:00Z' } });
    await fleet.approve(await fleet.planId());
    expect(await fleet.reconcile(replica)).toBe(600_000);
    expect(await fleet.conditions()).toMatchObject({ Ready: 'False Frozen' });
    expect(vms()).toBe(0);
    fleet.time.set('2026-06-01T10:25:00Z');
    expect(await fleet.reconcile(replica)).toBe(300_000);
    fleet.time.set('2026-06-01T10:30:00Z');
  });

  it('are finished before their object goes, and a clock that is wrong takes no lease', async () => {
    const wrong = new TestTime();
    wrong.set('2031-01-01T00:00:00Z');
    const leases = new LeaseBook({
      client: fleet.client,
      time: wrong,
      identity: 'skewed',
      durationMs: 15_000,
    });
    const skewed = fleet.replica('skewed', { time: wrong, leases, client: fleet.client });
    let done = 0;
    let beside: Promise<unknown> | undefined;
    const interfere = async () => {
      await fleet.client.delete(CLUSTERS, 'small', { namespace: NAMESPACE });
      return [await fleet.reconcile(skewed), (await fleet.cluster()) !== undefined];
    };
    const log = jsonLog(
      (line) => {
        if (line.includes('"step-done"') && ++done === 4) beside = interfere();
      },
      () => fleet.time.now(),
    );
    const replica = fleet.replica('one', { log });
    await fleet.reconcile(replica);
    expect(await beside).toEqual([20_000, true]);
    expect(await fleet.reconcile(replica)).toBeUndefined();
    expect(await fleet.cluster()).toBeUndefined();
    expect(vms()).toBe(BUILT);
    const claims = await fleet.client.list(LEASES, { namespace: OWN_NAMESPACE });
    expect(claims.filter(({ metadata }) => metadata.name.startsWith('oxherd-claim-'))).toEqual([]);
  });

  it('move to another namespace without a change', async () => {
    const given = await fleet.client.get(SECRETS, 'given', NAMESPACE);
    await fleet.client.create(
      SECRETS,
      {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'given', namespace: OTHER },
        data: given?.data ?? {},
      },
      OTHER,
    );
    const spec = {
      source: { inline: smallFile() },
      siteRef: { name: 'rack' },
      secretsRef: { name: 'given' },
    };
    const metadata = { name: 'moved', namespace: OTHER };
    await fleet.client.create(
      CLUSTERS,
      { apiVersion: API_VERSION, kind: CLUSTERS.kind, metadata, spec },
      OTHER,
    );
    const replica = fleet.replica('one', { namespaces: [NAMESPACE, OTHER] });
    for (let round = 0; round < 3; round += 1) await reconcileCluster(replica, OTHER, 'moved');
    const moved = await fleet.client.get(CLUSTERS, 'moved', OTHER);
    expect(moved).toMatchObject({ status: { observedGeneration: 1 } });
    expect(JSON.stringify(moved?.status)).toMatch(
      /"type":"Ready","status":"True"|"status":"True","type":"Ready"/,
    );
  });

  it('on two sites of one Proxmox disrupt a host one at a time', async () => {
    const replica = fleet.replica('one', { namespaces: [NAMESPACE, OTHER] });
    const { spec } = (await fleet.client.get(SITES, 'rack')) ?? {};
    await fleet.client.create(SITES, {
      apiVersion: API_VERSION,
      kind: SITES.kind,
      metadata: { name: 'again' },
      ...{ spec },
    });
    const at = { kind: 'merge', namespace: OTHER } as const;
    const change = { siteRef: { name: 'again' }, policy: { auto: 'restart' } };
    const inline = smallFile({ worker: ', memory: 5GiB' });
    await fleet.client.patch(CLUSTERS, 'moved', { spec: { ...change, source: { inline } } }, at);
    const other = new LeaseBook({
      client: fleet.client,
      time: fleet.time,
      identity: 'other',
      durationMs: 15_000,
    });
    const busy = await other.acquire(OWN_NAMESPACE, hostLeaseName('rack', 'pve2'));
    if (!('held' in busy)) throw new Error('the host is free');
    const shown = async () => JSON.stringify((await fleet.client.get(CLUSTERS, 'moved', OTHER))?.status);
    await reconcileCluster(replica, OTHER, 'moved');
    expect(await shown()).toContain(`waiting for other (${hostLeaseName('rack', 'pve2')})`);
    for (const name of ['rack', 'again']) await reconcileSite(replica, name);
    expect((await fleet.client.get(SITES, 'again'))?.status).toMatchObject({ sameAs: 'rack' });
    for (const [name, same] of [
      ['rack', 'again'],
      ['again', 'rack'],
    ] as const) {
      const site = await fleet.client.get(SITES, name);
      const distinct = site && readConditions(site).find(({ type }) => type === 'Distinct');
      expect(distinct).toMatchObject({ status: 'False', reason: 'SameProxmox' });
      expect(distinct?.message).toContain(`${same} points at the same Proxmox cluster`);
    }
    await busy.held.release();
    for (let round = 0; round < 3; round += 1) await reconcileCluster(replica, OTHER, 'moved');
    expect(await shown()).toContain('the cluster matches its config');
    // By whichever of the two sites, it is one cluster.
    await fleet.createCluster({ source: { inline } }, 'twin');
    await fleet.reconcile(replica, 'twin');
    expect(await fleet.message('Stalled', 'twin')).toContain('belongs to OxherdCluster team-b/moved already');
    await fleet.client.delete(CLUSTERS, 'twin', { namespace: NAMESPACE });
    await fleet.reconcile(replica, 'twin');
    const back = { siteRef: { name: 'rack' }, policy: { auto: 'restart' }, source: { inline: smallFile() } };
    await fleet.client.patch(CLUSTERS, 'moved', { spec: back }, at);
    await fleet.client.delete(SITES, 'again');
    for (let round = 0; round < 3; round += 1) await reconcileCluster(replica, OTHER, 'moved');
  });

  it('are not taken away from under the controller that runs in them', async () => {
    const secret = await fleet.client.get(SECRETS, 'given', OTHER);
    const text = Buffer.from(secret?.data?.['secrets.yaml'] ?? '', 'base64').toString('utf8');
    const authority = Buffer.from(parseTalosSecrets(text, 'given').certs.k8s.crt, 'base64')
      .toString('utf8')
      .trim();
    const replica = fleet.replica('own', { authority, namespaces: [NAMESPACE, OTHER] });
    const shown = async () => JSON.stringify((await fleet.client.get(CLUSTERS, 'moved', OTHER))?.status);
    const at = { kind: 'merge', namespace: OTHER } as const;
    const inline = smallFile({ worker: ', memory: 5GiB' });
    await fleet.client.patch(
      CLUSTERS,
      'moved',
      { spec: { source: { inline }, policy: { auto: 'restart' } } },
      at,
    );
    await reconcileCluster(replica, OTHER, 'moved');
    expect(await shown()).toContain('CommandLineOnly');
    expect(await shown()).toContain('the controller applies component at most');
    await fleet.client.patch(CLUSTERS, 'moved', { spec: { source: { inline: smallFile() } } }, at);
    await fleet.client.create(MAINTENANCES, {
      apiVersion: API_VERSION,
      kind: MAINTENANCES.kind,
      metadata: { name: 'pve2' },
      spec: { siteRef: { name: 'rack' }, host: 'pve2', acceptPodsDown: true },
    });
    await reconcileMaintenance(replica, 'pve2');
    expect((await fleet.client.get(MAINTENANCES, 'pve2'))?.status).toMatchObject({
      phase: 'Failed',
      message: expect.stringMatching(
        /the controller runs in this cluster \(run `oxherd host drain pve2` from outside/,
      ),
    });
    await fleet.client.patch(CLUSTERS, 'moved', { spec: { deletionPolicy: 'Destroy' } }, at);
    await fleet.client.delete(CLUSTERS, 'moved', { namespace: OTHER });
    await reconcileCluster(replica, OTHER, 'moved');
    expect(await shown()).toContain(
      'the controller runs in this cluster (run `oxherd destroy` from outside of it)',
    );
    expect(vms()).toBe(BUILT);
    await fleet.client.patch(CLUSTERS, 'moved', { spec: { deletionPolicy: 'Orphan' } }, at);
    expect(await reconcileCluster(replica, OTHER, 'moved')).toBeUndefined();
    expect(await fleet.client.get(CLUSTERS, 'moved', OTHER)).toBeUndefined();
    expect(vms()).toBe(BUILT);
  });
});
