// Every guard is needed: without it the tests that hold it fail. They run in processes of their own, without that one guard.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import { type Guard, guards } from '../../sabotage.ts'

const runsAtOnce = 2
const seeds = 10
const outcomes = new Map<string, Promise<Map<string, string>>>()

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

/** What became of the tests that hold a guard, by their titles. */
async function runWithout(name: string, { tests, fail }: Guard): Promise<Map<string, string>> {
  const own = Object.entries(process.env).filter(([key]) => !key.startsWith('VITEST'))
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const report = join(folder, `${Object.keys(guards).indexOf(name)}.json`)
  const args = ['run', '--config', 'test/sabotage.config.ts', tests, '-t', fail.join('|')]
  const child = spawn(process.execPath, [vitest, ...args, '--reporter=json', `--outputFile=${report}`], {
    cwd: root,
    env: { ...Object.fromEntries(own), DAYBOOK_SABOTAGE: name, DAYBOOK_TAB_SEEDS: `${seeds}` },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const [complaint, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'close') as Promise<[number]>,
  ])
  // It ends with 1 when tests fail, as they must.
  if (code !== 1) throw new Error(`Without ${name} Vitest ended with ${code}. ${complaint}`)
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report
  return new Map(
    testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ title, status }) => [title, status] as const),
    ),
  )
}

let folder = ''
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'daybook-sabotage-'))
  const lanes = Array.from({ length: runsAtOnce }, () => Promise.resolve() as Promise<unknown>)
  Object.entries(guards).forEach(([name, guard], i) => {
    const outcome = (lanes[i % runsAtOnce] as Promise<unknown>).then(() => runWithout(name, guard))
    lanes[i % runsAtOnce] = outcome.catch(() => undefined)
    outcomes.set(name, outcome)
  })
})

it.each(Object.keys(guards))('is missed by tests that fail: %s', { timeout: 170_000 }, async (name) => {
  const outcome = await outcomes.get(name)
  const states = guards[name]?.fail.map((title) => [title, outcome?.get(title)])
  expect(
    states,
    `A test that passed without the guard does not need it: correct the test, or the titles of "${name}" in test/sabotage.ts.`,
  ).toEqual(guards[name]?.fail.map((title) => [title, 'failed']))
})
