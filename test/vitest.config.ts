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
import { isWhole, runSeed } from './property/run-seed.ts'
import { needsOwnWorker, quickFiles } from './quick-file.ts'
import { withSvelte } from './svelte-plugin.ts'
import { serveTinyModel } from './support/server/serve-tiny-model.ts'

const inOneWorker = quickFiles().filter((file) => !needsOwnWorker(file))
const drawFromSeed = ['test/property/draw-from-seed.ts']
const executablePath = await findBrowser()
// For this process and those that tests start: sources that were read once are compiled.
process.env['NODE_COMPILE_CACHE'] ??= join(root, '.cache/node')

/** Tests that look at pages as a user does come after the others, and have twice their time: each starts browsers. */
const inPages = {
  sequence: { groupOrder: 1 },
  testTimeout: 170_000,
  hookTimeout: 170_000,
  expect: { poll: { timeout: 60_000 } },
} as const

export default defineConfig({
  root,
  test: {
    reporters: ['default', 'json', new BrowserMatrix(), new ProgressReporter()],
    outputFile: { json: testReport },
    // A guard against tests that hang, below the three minutes of silence that end a run; no measure of speed.
    testTimeout: 170_000,
    hookTimeout: 170_000,
    expect: { poll: { timeout: 60_000 } },
    // Most of these wait half of their time for a browser, a disk or a process.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    sequence: { sequencer: LongFirst },
    provide: { propertySeed: runSeed, isWhole },
    projects: [
      {
        extends: true,
        test: {
          name: 'node',
          environment: 'node',
          include: ['test/{node,contract,sim,types}/**/*.test.ts'],
          exclude: inOneWorker,
          setupFiles: drawFromSeed,
        },
      },
      {
        // What each of these imports is read once.
        extends: true,
        test: {
          name: 'node-quick',
          environment: 'node',
          include: inOneWorker,
          setupFiles: drawFromSeed,
          isolate: false,
        },
      },
      {
        extends: true,
        plugins: [
          cloudflareTest({
            wrangler: { configPath: './wrangler.toml' },
            // No mirror uses these by itself: a test gives them to one of its own.
            miniflare: {
              r2Buckets: ['TEST_ARCHIVE'],
              dataBlobBindings: { TEST_MEANING: join(root, 'assets/meaning.bin') },
            },
          }),
        ],
        test: { name: 'edge', include: ['test/edge/**/*.test.ts'], setupFiles: drawFromSeed },
      },
      {
        extends: true,
        plugins: [withBundledWorker(), withTestModel(), serveTinyModel(), withSvelte()],
        define: {
          __VUE_OPTIONS_API__: 'true',
          __VUE_PROD_DEVTOOLS__: 'false',
          __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
        },
        // Known before the first test, so that no page is reloaded in the middle of one.
        optimizeDeps: {
          include: [
            '@huggingface/transformers',
            '@cfworker/json-schema',
            '@langchain/langgraph/web',
            '@langchain/langgraph-checkpoint',
            '@noble/hashes/sha2.js',
            '@scure/base',
            '@sqlite.org/sqlite-wasm',
            'comlink',
            'fast-check',
            'idb',
            'preact',
            'preact/hooks',
            'react',
            'react-dom/client',
            'react-dom/server',
            'solid-js',
            'solid-js/web',
            'svelte',
            'svelte/internal/client',
            'svelte/internal/disclose-version',
            'svelte/reactivity',
            'vue',
            'zod',
          ],
        },
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          setupFiles: ['test/browser/keep-connection.ts', 'test/browser/keep-sqlite.ts', ...drawFromSeed],
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
          ...inPages,
        },
      },
      {
        extends: true,
        test: {
          name: 'tabs',
          include: ['test/tabs/**/*.test.ts'],
          globalSetup: ['test/tabs/serve.ts'],
          ...inPages,
        },
      },
      {
        extends: true,
        test: {
          name: 'devices',
          include: ['test/devices/**/*.test.ts'],
          globalSetup: ['test/devices/serve.ts'],
          ...inPages,
        },
      },
      {
        extends: true,
        test: {
          name: 'journey',
          include: ['test/journey/**/*.test.ts'],
          ...inPages,
        },
      },
      {
        extends: true,
        test: {
          // Beside the one page of the browser tests, which leaves a core free at its end.
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          globalSetup: ['test/package/pack.ts'],
          testTimeout: 170_000,
          hookTimeout: 170_000,
        },
      },
    ],
  },
})
