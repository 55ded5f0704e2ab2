// What the runner of the tests makes of the lines that it hears.
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../../scripts/place.mjs'
import { TestProgress } from '../../../scripts/test-progress.mjs'

it('names the slowest files, with what is known of all their runs, and none that has not ended', () => {
  const progress = new TestProgress()
  const hear = (project: string, file: string, state: string, ms?: number) =>
    progress.take(JSON.stringify({ project, file: join(root, file), state, ms }))
  hear('node', 'test/node/quick.test.ts', 'ended', 40)
  hear('node', 'test/node/begun.test.ts', 'running')
  hear('edge', 'test/edge/slow.test.ts', 'ended', 7_240)
  hear('inspector', 'test/inspector/slower.test.ts', 'ended', 8_000)
  hear('inspector', 'test/inspector/slower.test.ts', 'ended', 112_000)
  expect(progress.slowest(2)).toEqual([
    ' 120.0 s  inspector  test/inspector/slower.test.ts',
    '   7.2 s  edge       test/edge/slow.test.ts',
  ])
  expect(progress.slowest(9).map((line) => line.split('/').at(-1))).toEqual([
    'slower.test.ts',
    'slow.test.ts',
    'quick.test.ts',
  ])
})
