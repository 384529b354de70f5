import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run on the sources: the condition makes workspace imports resolve to src/, so no build is needed first.
const source = '@turnwatch/source';

export default defineConfig({
  resolve: { conditions: [source] },
  ssr: { resolve: { conditions: [source], externalConditions: [source] } },
  test: {
    include: [
      'packages/*/src/**/*.test.ts',
      'test/**/*.test.ts',
      'examples/*/src/**/*.test.ts',
      'dashboards/src/**/*.test.ts',
    ],
    // Worker threads and modules that Node itself loads inherit it.
    execArgv: [`--conditions=${source}`],
    // Many tests wait for real processes and sockets: also two cores do two files at a time.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 20_000,
    hookTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['packages/core/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/index.ts'],
      // The decision rules are the product: no branch of them is untested.
      thresholds: { 100: true },
      reporter: ['text', 'html'],
      reportsDirectory: 'coverage',
    },
  },
});
