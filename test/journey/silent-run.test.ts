// A run of tests that stands still ends by itself: it says what it waited for, fails, and leaves nothing behind.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { it } from 'vitest'
import { nodeBinary, root } from '../../scripts/place.mjs'
import { treeOf, untilGone } from './process-tree.ts'

const silenceMs = 20_000

async function run(script: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(nodeBinary, [join(root, script), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const closed = once(child, 'close') as Promise<[number]>
  const output = Promise.all([text(child.stdout), text(child.stderr)])
  return { child, output, closed }
}

// Both wait for the silence: they can do that at once.
it.concurrent.for([
  [
    'a page that never says that it is done',
    'cut-connection',
    'browser  test/browser/hang/cut-connection.ts  all its tests have ended, but its page has not',
    '3 passed, 1 failed, 0 skipped',
  ],
  [
    'a runner that is blocked',
    'blocked-runner',
    'node  test/node/house/hang/blocked-runner.ts',
    '1 passed, 1 failed, 0 skipped',
  ],
] as const)('ends with %s', async ([, hang, waitedFor, lastLine], { expect, onTestFinished }) => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-run-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    DAYBOOK_HANG: hang,
    DAYBOOK_SILENCE_MS: String(silenceMs),
    DAYBOOK_TEST_REPORT: join(folder, 'report.json'),
  }
  const silent = await run('scripts/run-tests.mjs', ['--config', 'test/hanging.config.ts'], env)
  // What it has started by the time that its first test has passed.
  await once(silent.child.stdout, 'data')
  const started = treeOf(silent.child.pid as number)
  const [[, complaint], [code]] = await Promise.all([silent.output, silent.closed])
  expect(complaint).toContain(`Nothing was reported for ${silenceMs / 1000} s, so the run was ended.`)
  expect(complaint).toContain(waitedFor)
  expect(code).toBe(1)
  await untilGone(started)

  const report = await run('scripts/report.mjs', [], env)
  expect([(await report.output)[0].trim(), ...(await report.closed)]).toEqual([lastLine, 1, null])
})
