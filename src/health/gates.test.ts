import { expect, it } from 'vitest';
import { READY_GATES } from '../config/resolve/gates.js';
import { known, unknown } from '../observe/observed.js';
import type { GateObjects, ObservedKubernetes } from '../observe/observed-kubernetes.js';
import { gateConditions } from './gates.js';

const gate = {
  name: 'g',
  resource: 'volumes.longhorn.io/v1beta2',
  expression: '',
  ifMissing: 'closed' as const,
  timeoutSeconds: 60,
};
const served = (objects: readonly Readonly<Record<string, unknown>>[]) =>
  known<GateObjects>({ served: true, objects });
const seen = (gates: ObservedKubernetes['gates']) => ({ gates }) as ObservedKubernetes;
const volume = (name: string, status: object) => ({ metadata: { namespace: 'l', name }, status });

it.each([
  ['object.status.robustness == "healthy"', [volume('a', { robustness: 'healthy' })], 'ok'],
  ['object.status.robustness == "healthy"', [volume('a', { robustness: 'degraded' })], 'failed'],
  ['object.status.robustness == "healthy"', [], 'ok'],
  // A field that is missing opens nothing.
  ['object.status.robustness == "healthy"', [volume('a', {})], 'failed'],
  ['object.status.ready >= 2', [volume('a', { ready: 3 })], 'ok'],
  ['object.status.list.all(x, x.size() > 0)', [volume('a', { list: ['b'] })], 'ok'],
  // Only true is true.
  ['object.status.robustness', [volume('a', { robustness: 'healthy' })], 'failed'],
  ['object.status.(', [volume('a', {})], 'failed'],
])('%s over %j is %s', (expression, objects, state) => {
  expect(gateConditions([{ ...gate, expression }], seen({ g: served(objects) }))).toMatchObject([{ state }]);
});

it('tells what is missing from what is not known', () => {
  const missing = known<GateObjects>({ served: false, alike: ['volumes.longhorn.io/v1beta3'] });
  expect(gateConditions([gate], seen({ g: missing }))).toMatchObject([
    {
      state: 'failed',
      message:
        'closed: the cluster does not serve volumes.longhorn.io/v1beta2; it serves volumes.longhorn.io/v1beta3',
      advice:
        'write `resource: volumes.longhorn.io/v1beta3` in policy.gates.g, or `ifMissing: open` if it is installed later',
    },
  ]);
  expect(gateConditions([{ ...gate, ifMissing: 'open' }], seen({ g: missing }))).toMatchObject([
    { state: 'skipped' },
  ]);
  expect(gateConditions([gate], seen({ g: unknown('no answer') }))).toMatchObject([{ state: 'unknown' }]);
  const named = { ...gate, object: 'gone', expression: 'true' };
  expect(gateConditions([named], seen({ g: served([]) }))).toMatchObject([{ state: 'failed' }]);
});

it.each([
  ['longhorn', { state: 'attached', robustness: 'healthy' }, 'ok'],
  ['longhorn', { state: 'attached', robustness: 'degraded' }, 'failed'],
  ['longhorn', { state: 'attached', robustness: 'faulted' }, 'failed'],
  // Longhorn says so of every volume that is attached nowhere.
  ['longhorn', { state: 'detached', robustness: 'unknown' }, 'ok'],
  ['longhorn', {}, 'ok'],
  ['ceph', { ceph: { health: 'HEALTH_OK' } }, 'ok'],
  ['ceph', { ceph: { health: 'HEALTH_WARN' } }, 'failed'],
  ['ceph', {}, 'failed'],
])('the ready-made gate %s over %j is %s', (name, status, state) => {
  const ready = READY_GATES[name] ?? expect.fail();
  expect(gateConditions([{ ...gate, ...ready }], seen({ g: served([volume('a', status)]) }))).toMatchObject([
    { state },
  ]);
});
