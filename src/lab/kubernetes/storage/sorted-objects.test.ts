import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type KubeObject, ref } from '../object.js';
import { SortedObjects } from './sorted-objects.js';

const object = (namespace: string | undefined, name: string, uid: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, uid, ...(namespace === undefined ? {} : { namespace }) },
});

const names = fc.constantFrom('a', 'a-1', 'a.b', 'b', 'z0');
const namespaces = fc.constantFrom('team', 'team-2', 'team0', 'a');
const steps = fc.array(fc.tuple(fc.boolean(), namespaces, names), { maxLength: 40 });

test('objects stay in order through any changes, and what was handed out stays as it was', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const model = new Map<string, KubeObject>();
      const sorted = new SortedObjects([]);
      const inOrder = () => [...model.values()].sort((a, b) => (ref(a) < ref(b) ? -1 : 1));
      for (const [step, [puts, namespace, name]] of changes.entries()) {
        const before = sorted.all();
        const copy = [...before];
        const one = object(namespace, name, String(step));
        if (puts) {
          sorted.put(one);
          model.set(ref(one), one);
        } else {
          sorted.remove(one);
          model.delete(ref(one));
        }
        expect(before).toEqual(copy);
        expect(sorted.all()).toEqual(inOrder());
        for (const of of ['team', 'team-2', 'team0', 'a', 'none'])
          expect(sorted.in(of)).toEqual(inOrder().filter((item) => item.metadata.namespace === of));
      }
    }),
  );
});

test('the same list is handed out until something changes', () => {
  const sorted = new SortedObjects([object(undefined, 'b', '1'), object(undefined, 'a', '2')]);
  const list = sorted.all();
  expect(sorted.all()).toBe(list);
  sorted.put(object(undefined, 'a', '3'));
  expect(sorted.all()).not.toBe(list);
  expect(list.map(({ metadata }) => metadata.uid)).toEqual(['2', '1']);
});
