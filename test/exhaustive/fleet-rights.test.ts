/** What the controller asks of the Kubernetes API in the life of a fleet, beside what the chart's roles allow: all of it, and no more. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { API_VERSION, APPROVALS, CLUSTERS, MAINTENANCES } from '../../src/controller/api/group.js';
import { startController } from '../../src/controller/controller.js';
import type { ControllerContext } from '../../src/controller/controller-context.js';
import { fleetId } from '../../src/controller/fleet-id.js';
import { fleetManifests } from '../../src/controller/install/manifests.js';
import { LeaseBook } from '../../src/controller/lease/lease-book.js';
import { Reviews } from '../../src/controller/page/reviews.js';
import { reconcileMaintenance } from '../../src/controller/reconcile/reconcile-maintenance.js';
import { reconcileSite } from '../../src/controller/reconcile/reconcile-site.js';
import { isMapping } from '../../src/formats/text/mapping.js';
import { until } from '../support/fleet/processes.js';
import { recordedClient, rightOf } from '../support/fleet/recorded-client.js';
import { FLEET_VALUES } from '../support/fleet/values.js';
import { Fleet, NAMESPACE, OWN_NAMESPACE } from '../support/fleet.js';
import { smallFile } from '../support/small-file.js';

let fleet: Fleet;
let replica: ControllerContext;
const asked = new Set<string>();
beforeAll(async () => {
  fleet = await Fleet.start(smallFile());
  const client = recordedClient(fleet.asController, asked);
  const leases = new LeaseBook({ client, time: fleet.time, identity: 'one', durationMs: 15_000 });
  replica = fleet.replica('one', { client, leases });
});
afterAll(() => fleet?.stop());

/** What the roles give the controller's service account, as single rights. */
function given(): Set<string> {
  const values = { ...FLEET_VALUES, namespace: OWN_NAMESPACE, namespaces: [NAMESPACE] };
  const objects: readonly unknown[] = JSON.parse(JSON.stringify(fleetManifests(values)));
  const texts = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  return new Set(
    objects.flatMap((object) => {
      if (!isMapping(object) || !isMapping(object.metadata) || !Array.isArray(object.rules)) return [];
      const { name, namespace = '' } = object.metadata;
      if (!String(name).startsWith('oxherd-controller')) return [];
      return object.rules
        .filter(isMapping)
        .flatMap((rule) =>
          texts(rule.apiGroups).flatMap((group) =>
            texts(rule.resources).flatMap((resource) =>
              texts(rule.verbs).map((verb) =>
                rightOf({ namespace: String(namespace), group, resource, verb }),
              ),
            ),
          ),
        );
    }),
  );
}

it('is all that the roles allow, and nothing else', async () => {
  await aLife();
  expect([...asked].sort()).toEqual([...given()].sort());
});

/** Everything that a controller does at least once. */
async function aLife(): Promise<void> {
  await fleetId(replica.client, OWN_NAMESPACE);
  const reviews = new Reviews(replica.client, () => 0);
  const user = await reviews.userOf(fleet.controllerToken);
  if (!user) throw new Error('the token is not known');
  await reviews.mayRead(user, NAMESPACE, 'small');
  await watched();
  await applied();
  await replanned();
  await maintained();
  await fleet.client.delete(CLUSTERS, 'small', { namespace: NAMESPACE });
  await fleet.reconcile(replica);
  expect(await fleet.cluster()).toBeUndefined();
}

/** The loop: lists and watches, its own lease, sites. */
async function watched(): Promise<void> {
  const stop = new AbortController();
  const { ended, ready } = startController({ ...replica, signal: stop.signal });
  await until('everything is listed', async () => ready());
  stop.abort();
  await ended;
  await reconcileSite(replica, 'rack');
}

/** With secrets of its own, and an approval for each of its uses. */
async function applied(): Promise<void> {
  await fleet.setConfig(smallFile());
  await fleet.createCluster();
  await fleet.reconcile(replica);
  const stale = await fleet.approve('0'.repeat(64));
  await fleet.approve(await fleet.planId());
  for (let round = 0; round < 4 && (await fleet.conditions()).Ready !== 'True Succeeded'; round += 1)
    await fleet.reconcile(replica);
  expect(await fleet.conditions()).toMatchObject({ Ready: 'True Succeeded' });
  expect((await fleet.approvalPhases())[stale]).toBe('Stale');
}

/** Often enough that old plans go. */
async function replanned(): Promise<void> {
  for (let memory = 5; memory < 17; memory += 1) {
    await fleet.setConfig(smallFile({ worker: `, memory: ${memory}GiB` }));
    await fleet.reconcile(replica);
  }
  expect(await fleet.plans()).toHaveLength(10);
  await fleet.setConfig(smallFile());
  await fleet.reconcile(replica);
}

async function maintained(): Promise<void> {
  await fleet.client.create(MAINTENANCES, {
    apiVersion: API_VERSION,
    kind: MAINTENANCES.kind,
    metadata: { name: 'pve2' },
    spec: { siteRef: { name: 'rack' }, host: 'pve2', acceptPodsDown: true },
  });
  await reconcileMaintenance(replica, 'pve2');
  const { status } = (await fleet.client.get(MAINTENANCES, 'pve2')) ?? {};
  const planId = isMapping(status) ? String(status.planId) : '';
  const spec = { clusterRef: { name: 'pve2' }, planId, approvedBy: 'admin', expires: '2027-01-01T00:00:00Z' };
  const metadata = { name: 'drain', namespace: OWN_NAMESPACE };
  await fleet.client.create(
    APPROVALS,
    { apiVersion: API_VERSION, kind: APPROVALS.kind, metadata, spec },
    OWN_NAMESPACE,
  );
  expect(await reconcileMaintenance(replica, 'pve2')).toBe(0);
  await fleet.client.delete(MAINTENANCES, 'pve2');
  for (let round = 0; round < 4 && (await fleet.client.get(MAINTENANCES, 'pve2')); round += 1)
    await reconcileMaintenance(replica, 'pve2');
  expect(await fleet.client.get(MAINTENANCES, 'pve2')).toBeUndefined();
}
