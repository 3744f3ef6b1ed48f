import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { objOf, sameJson } from '../json.js';
import { builtInSchema } from '../schema/built-in.js';
import { mergePatch, mergePatchBetween } from './merge-patch.js';
import { strategicMerge } from './strategic-merge.js';

const POD = builtInSchema('core.Pod');
const NODE = builtInSchema('core.Node');

describe('merge patch', () => {
  it('follows the examples of RFC 7386', () => {
    expect(mergePatch({ a: 'b', b: 'c' }, { a: null })).toEqual({ b: 'c' });
    expect(mergePatch({ a: [{ b: 'c' }] }, { a: [1] })).toEqual({ a: [1] });
    expect(mergePatch({}, { a: { bb: { ccc: null } } })).toEqual({ a: { bb: {} } });
    expect(mergePatch({ e: null }, { a: 1 })).toEqual({ e: null, a: 1 });
  });

  it('is the same when it is repeated', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatch(target, patch);
        expect(sameJson(mergePatch(once, patch), once)).toBe(true);
      }),
    );
  });
});

describe('strategic merge patch', () => {
  const pod = {
    spec: {
      containers: [
        { name: 'a', image: '1' },
        { name: 'b', image: '1' },
      ],
    },
  };

  it('merges keyed lists by key and replaces the others', () => {
    const patched = strategicMerge(
      pod,
      {
        spec: {
          containers: [
            { name: 'b', image: '2' },
            { name: 'c', image: '3' },
          ],
        },
      },
      POD,
    );
    expect(patched).toEqual({
      spec: {
        containers: [
          { name: 'a', image: '1' },
          { name: 'b', image: '2' },
          { name: 'c', image: '3' },
        ],
      },
    });
    const node = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } };
    const taints = [{ key: 'b', effect: 'NoExecute' }];
    expect(strategicMerge(node, { spec: { taints } }, NODE)).toEqual({ spec: { taints } });
  });

  it('obeys its directives', () => {
    const deleted = strategicMerge(pod, { spec: { containers: [{ name: 'a', $patch: 'delete' }] } }, POD);
    expect(deleted).toEqual({ spec: { containers: [{ name: 'b', image: '1' }] } });
    const order = { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] };
    expect(strategicMerge(pod, { spec: order }, POD)).toEqual({
      spec: {
        containers: [
          { name: 'b', image: '1' },
          { name: 'a', image: '1' },
        ],
      },
    });
    const finalizers = { metadata: { finalizers: ['x', 'y'] } };
    expect(
      strategicMerge(finalizers, { metadata: { '$deleteFromPrimitiveList/finalizers': ['x'] } }, POD),
    ).toEqual({
      metadata: { finalizers: ['y'] },
    });
    const replaced = strategicMerge({ spec: { a: 1 } }, { spec: { $patch: 'replace', b: 2 } }, POD);
    expect(replaced).toEqual({ spec: { b: 2 } });
  });
});

describe('the merge patch between two objects', () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(fc.integer(), fc.string(), fc.boolean(), fc.array(fc.integer()), tie('object')),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { maxKeys: 3 }),
  }));

  it('makes one of the other, and is nothing where they are the same', () => {
    fc.assert(
      fc.property(value.object, value.object, (from, to) => {
        const [a, b] = [objOf(from), objOf(to)];
        const patch = mergePatchBetween(a, b);
        expect(patch === undefined).toBe(sameJson(a, b));
        expect(mergePatch(a, patch ?? {})).toEqual(b);
      }),
    );
  });
});
