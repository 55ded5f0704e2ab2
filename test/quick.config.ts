// `npm run test:quick`: the everyday loop, in Node alone.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { root, testReport } from '../scripts/place.mjs'
import ProgressReporter from './progress-reporter.ts'
import { isWhole, runSeed } from './property/run-seed.ts'
import { needsOwnWorker, quickFiles } from './quick-file.ts'

// For this process and those that tests start: sources that were read once are compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(root, '.cache/node')

const quick = quickFiles()

export default defineConfig({
  root,
  test: {
    reporters: ['dot', 'json', new ProgressReporter()],
    outputFile: { json: testReport },
    maxWorkers: Math.max(2, availableParallelism() - 1),
    testTimeout: 170_000,
    hookTimeout: 170_000,
    expect: { poll: { timeout: 60_000 } },
    provide: { propertySeed: runSeed, isWhole },
    setupFiles: ['test/property/draw-from-seed.ts'],
    // What every file imports is read once.
    projects: [
      {
        extends: true,
        test: { name: 'quick', include: quick.filter((file) => !needsOwnWorker(file)), isolate: false },
      },
      { extends: true, test: { name: 'quick, each by itself', include: quick.filter(needsOwnWorker) } },
    ],
  },
})
