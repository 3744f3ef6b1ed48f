import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Obj, objOf } from '../json.js';
import type { ManagedFieldsEntry } from '../object.js';
import { builtInSchema } from '../schema/built-in.js';
import { ApiError } from '../status.js';
import { FieldSet } from './field-set.js';
import { applyConfiguration, ownershipAfterUpdate, type Writer } from './managed-fields.js';

const SCHEMA = builtInSchema('core.ConfigMap');
const POD = builtInSchema('core.Pod');

function writer(manager: string): Writer {
  return { manager, apiVersion: 'v1', subresource: '', statusApart: false, time: '2026-01-01T00:00:00Z' };
}

interface State {
  readonly object: Obj;
  readonly entries: ManagedFieldsEntry[];
}

const EMPTY: State = {
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } },
  entries: [],
};

function apply(state: State, manager: string, data: Record<string, string>, force = false): State {
  const configuration = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data };
  const applied = applyConfiguration(
    state.entries,
    state.object,
    configuration,
    SCHEMA,
    writer(manager),
    force,
  );
  const stored = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, ...applied.object };
  return { object: applied.object, entries: applied.ownership(stored) };
}

const managers = fc.constantFrom('alice', 'bob', 'carol');
const data = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2'), { maxKeys: 4 });
const steps = fc.array(fc.record({ manager: managers, data, force: fc.boolean() }), { maxLength: 12 });

function ownersOf(state: State, key: string): string[] {
  return state.entries
    .filter((entry) => FieldSet.parse(entry.fieldsV1).has(['f:data', `f:${key}`]))
    .map((entry) => entry.manager);
}

describe('server-side apply', () => {
  it('leaves exactly the fields that someone owns, with the value of the last who applied them', () => {
    fc.assert(
      fc.property(steps, (sequence) => {
        let state = EMPTY;
        const last = new Map<string, Record<string, string>>();
        for (const step of sequence) {
          try {
            state = apply(state, step.manager, step.data, step.force);
            last.set(step.manager, step.data);
          } catch (error) {
            expect(error).toBeInstanceOf(ApiError);
            expect(step.force).toBe(false);
          }
        }
        const live = objOf(state.object.data);
        for (const key of ['a', 'b', 'c', 'd']) {
          const owners = ownersOf(state, key);
          expect(owners.length > 0).toBe(live[key] !== undefined);
          for (const owner of owners) expect(last.get(owner)?.[key]).toBe(live[key]);
        }
      }),
    );
  });

  it('changes nothing when it is repeated', () => {
    fc.assert(
      fc.property(steps, managers, data, (sequence, manager, again) => {
        let state = EMPTY;
        for (const step of sequence) state = apply(state, step.manager, step.data, true);
        const once = apply(state, manager, again, true);
        expect(apply(once, manager, again, false)).toEqual(once);
      }),
    );
  });

  it('never conflicts with itself', () => {
    fc.assert(
      fc.property(fc.array(data, { maxLength: 8 }), (sequence) => {
        let state = EMPTY;
        for (const values of sequence) state = apply(state, 'alice', values);
      }),
    );
  });
});

describe('an ordinary write', () => {
  it('takes the fields it changed from everybody else', () => {
    const before = apply(EMPTY, 'alice', { a: '1', b: '1' });
    const after = { ...before.object, data: { a: '2', b: '1' } };
    const entries = ownershipAfterUpdate(before.entries, before.object, after, SCHEMA, writer('kubectl'));
    expect(entries.map((entry) => [entry.manager, entry.fieldsV1])).toEqual([
      ['alice', { 'f:data': { 'f:b': {} } }],
      ['kubectl', { 'f:data': { 'f:a': {} } }],
    ]);
  });

  it('names elements of keyed lists by their keys', () => {
    const pod = (image: string) => ({
      spec: { containers: [{ name: 'c', image, ports: [{ containerPort: 80 }] }] },
    });
    const created = ownershipAfterUpdate([], { spec: {} }, pod('x:1'), POD, writer('kubectl'));
    expect(created[0]?.fieldsV1).toEqual({
      'f:spec': {
        'f:containers': {
          '.': {},
          'k:{"name":"c"}': {
            '.': {},
            'f:image': {},
            'f:name': {},
            'f:ports': {
              '.': {},
              'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
            },
          },
        },
      },
    });
  });
});

describe('field sets', () => {
  const path = fc.array(fc.constantFrom('f:a', 'f:b', 'k:{"name":"x"}', 'v:"y"'), {
    minLength: 1,
    maxLength: 4,
  });
  const set = fc.array(path, { maxLength: 8 }).map((paths) => {
    const made = new FieldSet();
    for (const one of paths) made.insert(one);
    return made;
  });

  it('survive being written and read', () => {
    fc.assert(
      fc.property(set, (one) => {
        expect(FieldSet.parse(one.toJson()).equals(one)).toBe(true);
      }),
    );
  });

  it('obey the laws of sets', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const both = a.union(b);
        expect(both.difference(b).union(a.intersection(b)).equals(a)).toBe(true);
        expect(a.intersection(b).equals(b.intersection(a))).toBe(true);
        expect(a.difference(a).empty).toBe(true);
      }),
    );
  });
});
