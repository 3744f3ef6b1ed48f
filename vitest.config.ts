import { defineConfig } from 'vitest/config';

const shared = { testTimeout: 30_000, hookTimeout: 60_000 };

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'test/*.test.ts',
            'test/property/**/*.test.ts',
            'test/recordings/**/*.test.ts',
          ],
        },
      },
      { test: { ...shared, name: 'e2e', include: ['test/e2e/**/*.test.ts'], testTimeout: 120_000 } },
      {
        test: {
          ...shared,
          name: 'exhaustive',
          include: ['test/exhaustive/**/*.test.ts'],
          testTimeout: 3_000_000,
        },
      },
    ],
  },
});
