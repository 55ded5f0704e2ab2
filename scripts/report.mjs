// Prints the last line of a run, `N passed, N failed, N skipped`, from vitest's report. A suite that did not
// load counts as failed; a run without a report or without a test fails.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { root, testReport as path } from './place.mjs'

/** @type {{ success?: boolean, testResults?: { name: string, status: string, message?: string, assertionResults: { status: string, fullName: string }[] }[] }} */
const report = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
const suites = report.testResults ?? []
const tests = suites.flatMap((suite) => suite.assertionResults)

/** @param {...string} statuses */
const count = (...statuses) => tests.filter((test) => statuses.includes(test.status)).length

const unloaded = suites.filter(
  (suite) => suite.status === 'failed' && !suite.assertionResults.some((test) => test.status === 'failed'),
)
const passed = count('passed')
const failed = count('failed') + unloaded.length
const skipped = tests.length - passed - count('failed')

for (const suite of unloaded)
  console.error(`could not run: ${relative(root, suite.name)} ${suite.message ?? ''}`)
if (tests.length === 0) console.error('No test ran.')
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(report.success && failed === 0 && passed > 0 ? 0 : 1)
