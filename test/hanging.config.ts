// A run of one file that stands still on purpose, which DAYBOOK_HANG names: for the tests of the runner.
import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import type { TestCase, TestModule } from 'vitest/node'
import { browserArgs, findBrowser } from '../scripts/find-browser.mjs'
import { root, testReport } from '../scripts/place.mjs'
import ProgressReporter from './progress-reporter.ts'

const executablePath = await findBrowser()
const hang = process.env['DAYBOOK_HANG'] ?? ''
const port = Number(process.env['DAYBOOK_HANG_PORT'] ?? 0)

/** Says when a test begins. Can block this process for good at the end of a file. */
class HangingReporter extends ProgressReporter {
  override onTestCaseReady(test: TestCase): void {
    super.onTestCaseReady(test)
    process.stdout.write(`Begun: ${test.name}\n`)
  }
  override onTestModuleEnd(module: TestModule): void {
    while (hang === 'blocked-runner');
    super.onTestModuleEnd(module)
  }
}

export default defineConfig({
  root,
  test: {
    reporters: ['default', 'json', new HangingReporter()],
    outputFile: { json: testReport },
    testTimeout: 0,
    projects: [
      { extends: true, test: { name: 'node', include: [`test/node/house/hang/${hang}.ts`] } },
      {
        extends: true,
        test: {
          name: 'browser',
          api: { port, strictPort: port > 0 },
          include: [`test/browser/hang/${hang}.ts`],
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: { ...(executablePath && { executablePath }), args: browserArgs },
            }),
            instances: [{ browser: 'chromium', name: 'browser' }],
          },
        },
      },
    ],
  },
})
