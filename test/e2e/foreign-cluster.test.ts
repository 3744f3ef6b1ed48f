import { expect, it, onTestFinished } from 'vitest';
import { foreignCluster, ORIGINS } from '../support/foreign-cluster.js';

it.each(ORIGINS)('a cluster of %s', async (origin) => {
  const { folder } = await foreignCluster(origin);
  onTestFinished(() => folder.remove());
  expect(folder.path).not.toBe('');
});
