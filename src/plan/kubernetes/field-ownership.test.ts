import { describe, expect, it } from 'vitest';
import { takenFields } from './field-ownership.js';

const wanted = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', labels: { app: 'web', tier: 'front' }, annotations: {} },
  spec: {
    replicas: 3,
    template: {
      spec: {
        containers: [{ name: 'web', image: 'web:1', resources: { requests: { cpu: '1000m' } } }],
        tolerations: [{ key: 'a', operator: 'Exists' }],
      },
    },
  },
};

/** As the server keeps it after our apply: quantities in its own way, defaults added. */
const ours = {
  'f:metadata': { 'f:labels': { 'f:app': {}, 'f:tier': {} } },
  'f:spec': {
    'f:replicas': {},
    'f:template': {
      'f:spec': {
        'f:containers': {
          'k:{"name":"web"}': {
            '.': {},
            'f:name': {},
            'f:image': {},
            'f:resources': { 'f:requests': { 'f:cpu': {} } },
          },
        },
        'f:tolerations': {},
      },
    },
  },
};
const apply = { manager: 'oxherd', operation: 'Apply', fieldsV1: ours };

function live(managedFields: unknown[], change: (object: typeof wanted) => void = () => {}) {
  const copy = structuredClone(wanted);
  const [container] = copy.spec.template.spec.containers;
  if (container) container.resources.requests.cpu = '1';
  change(copy);
  return { ...copy, metadata: { ...copy.metadata, managedFields } };
}

/** Ours without one field, as the server leaves it when someone else writes that field. */
function without(...path: string[]) {
  const copy: Record<string, unknown> = structuredClone(ours);
  let at = copy;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
  delete at[path.at(-1) ?? ''];
  return { ...apply, fieldsV1: copy };
}
const IMAGE = ['f:spec', 'f:template', 'f:spec', 'f:containers', 'k:{"name":"web"}', 'f:image'];
const nested = (path: readonly string[]): Record<string, unknown> =>
  path.reduceRight<Record<string, unknown>>((below, key) => ({ [key]: below }), {});

describe('fields that are not ours any more', () => {
  it('are none after an apply, however the server writes values', () => {
    expect(takenFields(wanted, live([apply]), 'oxherd')).toEqual([]);
  });

  it('are those that someone has changed, with who', () => {
    const edit = { manager: 'kubectl-edit', operation: 'Update', fieldsV1: nested(IMAGE) };
    const object = live([without(...IMAGE), edit], ({ spec }) => {
      const [container] = spec.template.spec.containers;
      if (container) container.image = 'web:2';
    });
    expect(takenFields(wanted, object, 'oxherd')).toEqual([
      { path: 'spec.template.spec.containers[web].image', by: 'kubectl-edit' },
    ]);
  });

  it('are found where nothing else of a section was ours', () => {
    const edit = (fields: object) => ({ manager: 'kubectl-edit', operation: 'Update', fieldsV1: fields });
    const colour = nested(['f:spec', 'f:colour']);
    const barn = (entry: object, other: object) => ({
      metadata: { managedFields: [{ ...apply, fieldsV1: entry }, edit(other)] },
      spec: { colour: 'blue' },
    });
    const taken = [{ path: 'spec.colour', by: 'kubectl-edit' }];
    expect(takenFields({ spec: { colour: 'red' } }, barn({ 'f:spec': {} }, colour), 'oxherd')).toEqual(taken);
    expect(takenFields({ spec: { colour: 'red' } }, barn({}, colour), 'oxherd')).toEqual(taken);
    // Owned as one, and written by the server in its own way.
    expect(takenFields({ spec: { colour: 'red' } }, barn({ 'f:spec': {} }, {}), 'oxherd')).toEqual([]);
  });

  it('are those that someone has removed', () => {
    const object = live([without('f:metadata', 'f:labels', 'f:tier')], ({ metadata }) => {
      Reflect.deleteProperty(metadata.labels, 'tier');
    });
    expect(takenFields(wanted, object, 'oxherd')).toEqual([{ path: 'metadata.labels.tier' }]);
  });

  it('are not those that have our value again, whoever wrote it', () => {
    const edit = { manager: 'kubectl-edit', operation: 'Update', fieldsV1: nested(IMAGE) };
    expect(takenFields(wanted, live([without(...IMAGE), edit]), 'oxherd')).toEqual([]);
  });

  it('are not those that an autoscaler writes', () => {
    const scale = {
      manager: 'kube-controller-manager',
      operation: 'Update',
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    };
    const object = live([without('f:spec', 'f:replicas'), scale], ({ spec }) => {
      spec.replicas = 9;
    });
    expect(takenFields(wanted, object, 'oxherd')).toEqual([]);
  });

  it('are unknown where we never applied it', () => {
    expect(takenFields(wanted, live([]), 'oxherd')).toEqual([]);
  });
});
