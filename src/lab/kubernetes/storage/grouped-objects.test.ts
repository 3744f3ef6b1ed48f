import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryStore } from '../../store.js';
import { type KubeObject, ref } from '../object.js';
import { groupedList } from './grouped-objects.js';
import { ObjectStore } from './object-store.js';

const pod = (name: string, node: string | undefined): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { namespace: 'team', name },
  ...(node === undefined ? {} : { spec: { nodeName: node } }),
});

const nodeOf = ({ spec }: KubeObject) => (spec as { nodeName?: string } | undefined)?.nodeName;
const nodes = ['n1', 'n2'];
const steps = fc.array(
  fc.tuple(
    fc.boolean(),
    fc.constantFrom('a', 'a-1', 'b', 'z0'),
    fc.option(fc.constantFrom(...nodes), { nil: undefined }),
  ),
  { maxLength: 40 },
);

test('groups follow their objects through any changes, and what was handed out stays as it was', () => {
  fc.assert(
    fc.property(steps, (changes) => {
      const objects = new ObjectStore(memoryStore(), 'test');
      const filtered = (node: string) => objects.list('pods').filter((one) => nodeOf(one) === node);
      for (const [puts, name, node] of changes) {
        const before = nodes.map((one) => objects.group('pods', nodeOf, one));
        const copies = before.map((group) => [...group]);
        if (puts) objects.put('pods', pod(name, node));
        else objects.remove('pods', 'team', name);
        expect(before).toEqual(copies);
        for (const one of nodes) {
          expect(objects.group('pods', nodeOf, one)).toEqual(filtered(one));
          expect(groupedList(objects.list('pods'), nodeOf).of(one)).toEqual(filtered(one));
        }
      }
    }),
  );
});

test('a group is the same list until one of its own objects changes', () => {
  const objects = new ObjectStore(memoryStore(), 'test');
  objects.put('pods', pod('a', 'n1'));
  const first = objects.group('pods', nodeOf, 'n1');
  objects.put('pods', pod('b', 'n2'));
  expect(objects.group('pods', nodeOf, 'n1')).toBe(first);
  objects.put('pods', pod('a', 'n2'));
  expect(objects.group('pods', nodeOf, 'n1')).toEqual([]);
  expect(objects.group('pods', nodeOf, 'n2').map(ref)).toEqual(['team/a', 'team/b']);
});
