import { defineConfig } from 'vitest/config';

/**
 * Files of one worker share what they have loaded: loading it anew for each took longer than the tests. What our modules
 * keep (configs read before, the ids of this process's runs) gives no other answer to the next file.
 */
const shared = {
  setupFiles: ['./test/support/rsa-keys.ts', './test/support/seeded-properties.ts'],
  testTimeout: 60_000,
  hookTimeout: 120_000,
  isolate: false,
};

/** Replaces modules of ours, which files of the same worker may have loaded before. */
const ALONE = ['planted', 'write-guard'].map((name) => `test/exhaustive/rehearsal/${name}.test.ts`);

const FULL = process.env.OXHERD_TIER === 'full';

export default defineConfig({
  test: {
    // One worker per core: vitest would leave one core of two to itself.
    maxWorkers: '100%',
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          env: { OXHERD_TIER: 'test' },
          include: [
            'src/**/*.test.ts',
            'test/*.test.ts',
            'test/property/**/*.test.ts',
            'test/recordings/**/*.test.ts',
            'test/scaled/**/*.test.ts',
          ],
        },
      },
      {
        test: {
          ...shared,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 240_000,
          env: { OXHERD_TIER: 'test' },
        },
      },
      {
        test: {
          ...shared,
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          // Machines listen on addresses of their own on loopback: one lab at a time.
          fileParallelism: false,
        },
      },
      {
        test: {
          ...shared,
          name: 'exhaustive',
          include: [
            'test/exhaustive/**/*.test.ts',
            'test/scaled/**/*.test.ts',
            'test/e2e/scaled/**/*.test.ts',
          ],
          exclude: ALONE,
          testTimeout: FULL ? 100_000_000 : 3_000_000,
          hookTimeout: 300_000,
          env: { OXHERD_TIER: process.env.OXHERD_TIER ?? 'exhaustive' },
        },
      },
      {
        test: {
          ...shared,
          name: 'exhaustive-alone',
          include: ALONE,
          isolate: true,
          testTimeout: 3_000_000,
          hookTimeout: 300_000,
          env: { OXHERD_TIER: process.env.OXHERD_TIER ?? 'exhaustive' },
        },
      },
    ],
  },
});
