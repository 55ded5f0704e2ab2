// Every test of every host, in one run: Node, the edge in workerd, the page in Chromium, the package as installed.
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { browserArgs, findBrowser } from '../scripts/find-browser.mjs'
import { root, testReport } from '../scripts/place.mjs'
import { BrowserMatrix } from './browser-matrix.ts'
import { takeBrowserProfile, withOnePage } from './browser-profile.ts'
import { withBundledWorker } from './built-worker.ts'
import { LongFirst } from './long-first.ts'
import { withTestModel } from './model-plugin.ts'
import ProgressReporter from './progress-reporter.ts'
import { serveTinyModel } from './support/server/serve-tiny-model.ts'

const executablePath = await findBrowser()
// For this process and those that tests start: sources that were read once are compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(root, '.cache/node')

export default defineConfig({
  root,
  test: {
    reporters: ['default', 'json', new BrowserMatrix(), new ProgressReporter()],
    outputFile: { json: testReport },
    // Long enough for a slow machine: a test that needs them has hung.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // Most of these wait half of their time for a browser, a disk or a process.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongFirst },
    projects: [
      {
        extends: true,
        test: { name: 'node', environment: 'node', include: ['test/{node,contract,sim,types}/**/*.test.ts'] },
      },
      {
        extends: true,
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
        test: { name: 'edge', include: ['test/edge/**/*.test.ts'] },
      },
      {
        extends: true,
        plugins: [withBundledWorker(), withTestModel(), serveTinyModel()],
        // Known before the first test, so that no page is reloaded in the middle of one.
        optimizeDeps: {
          include: [
            '@huggingface/transformers',
            '@cfworker/json-schema',
            '@noble/hashes/sha2.js',
            '@scure/base',
            '@sqlite.org/sqlite-wasm',
            'comlink',
            'fast-check',
            'idb',
            'zod',
          ],
        },
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          setupFiles: ['test/browser/keep-connection.ts', 'test/browser/keep-sqlite.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: withOnePage(
              playwright({
                persistentContext: takeBrowserProfile(),
                launchOptions: { ...(executablePath && { executablePath }), args: browserArgs },
              }),
            ),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      {
        extends: true,
        test: {
          name: 'inspector',
          include: ['test/inspector/**/*.test.ts'],
          globalSetup: ['test/inspector/serve.ts'],
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'tabs',
          include: ['test/tabs/**/*.test.ts'],
          globalSetup: ['test/tabs/serve.ts'],
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'devices',
          include: ['test/devices/**/*.test.ts'],
          globalSetup: ['test/devices/serve.ts'],
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'journey',
          include: ['test/journey/**/*.test.ts'],
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          globalSetup: ['test/package/pack.ts'],
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
})
