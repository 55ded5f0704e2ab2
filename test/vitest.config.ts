// Every test of every host, in one run: Node, the edge in workerd, the page in Chromium, the package as installed.
import { fileURLToPath } from 'node:url'
import { cloudflareTest } from '@cloudflare/vitest-plugin'
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { browserArgs, findBrowser } from '../scripts/find-browser.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const executablePath = await findBrowser()

export default defineConfig({
  root,
  test: {
    reporters: ['default', 'json'],
    outputFile: { json: '.cache/test-report.json' },
    projects: [
      {
        extends: true,
        test: { name: 'node', environment: 'node', include: ['test/{node,contract,types}/**/*.test.ts'] },
      },
      {
        extends: true,
        plugins: [cloudflareTest({ wrangler: { configPath: './wrangler.toml' } })],
        test: { name: 'edge', include: ['test/edge/**/*.test.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: { ...(executablePath && { executablePath }), args: browserArgs },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
    ],
  },
})
