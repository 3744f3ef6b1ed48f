import { expect, it } from 'vitest';
import { isNodeReady } from './node-ready.js';

const node = (...conditions: { type: string; status: string }[]) => ({ status: { conditions } });

it.each([
  [
    'Ready is True',
    node({ type: 'MemoryPressure', status: 'True' }, { type: 'Ready', status: 'True' }),
    true,
  ],
  ['Ready is False', node({ type: 'Ready', status: 'False' }), false],
  ['its kubelet went silent', node({ type: 'Ready', status: 'Unknown' }), false],
  ['only another condition is True', node({ type: 'DiskPressure', status: 'True' }), false],
  ['it has not reported yet', {}, false],
  ['there is no such node', undefined, false],
])('a node is Ready by its condition: %s', (_, object, ready) => {
  expect(isNodeReady(object)).toBe(ready);
});
