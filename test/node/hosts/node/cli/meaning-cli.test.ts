// The command line finds by meaning, with the table of the package; `--words` turns that off.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { RecallResult } from '../../../../../src/core/capability/port/recall-port.ts'
import { ended, startDaybook } from '../command-line.ts'

let home = ''
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'daybook-meaning-'))
})
afterAll(() => rm(home, { recursive: true, force: true }))

const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await ended(startDaybook([...args, '--home', home, '--json']))
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout) as RecallResult
}
const question = 'repairing an automobile'
const vectorOf = ({ hits, degraded }: RecallResult) => {
  expect(degraded).toEqual([])
  return hits[0]?.because.vector?.rank
}

test('recall and mcp call use vectors', async () => {
  for (const content of ['Fix the car: repairing the brakes', 'Buy bread and milk'])
    await run('store', 'perception', JSON.stringify({ content }))
  expect(vectorOf(await run('recall', question))).toBe(1)
  expect(vectorOf(await run('recall', question, '--words'))).toBeUndefined()
  const call = ['mcp', 'call', 'recall', '--tools', 'recall', '--arg', `text=${JSON.stringify(question)}`]
  expect(JSON.stringify(await run(...call))).toContain('Fix the car')
})
