// `npm run test:bundlers`: the packed package in apps of bundlers that are fetched for it, and so not in every run of the tests.
import { defineConfig } from 'vitest/config'
import { root, testReport } from '../scripts/place.mjs'
import ProgressReporter from './progress-reporter.ts'

export default defineConfig({
  root,
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'bundlers',
          include: ['test/bundlers/**/*.test.ts'],
          globalSetup: ['test/package/pack.ts'],
          testTimeout: 180_000,
          // All of the bundlers are fetched before the first test.
          hookTimeout: 600_000,
          expect: { poll: { timeout: 60_000 } },
        },
      },
    ],
    reporters: ['default', 'json', new ProgressReporter()],
    outputFile: { json: testReport },
    maxWorkers: 1,
  },
})
