// The command line finds by meaning, with the table of the package; `--words` turns that off.
import { spawn } from 'node:child_process'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RecallResult } from '../../../../../src/core/capability/port/recall-port.ts'
import { cli, ended, startDaybook } from '../command-line.ts'

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

test('recall notes what share of a whole answer it prints', async () => {
  const home = await mkdtemp(join(tmpdir(), 'daybook-whole-'))
  const start = (...args: string[]) => ended(startDaybook([...args, '--home', home]))
  for (const n of ['one', 'two', 'three'])
    await start('store', 'perception', JSON.stringify({ content: `Visited castle ${n}` }))
  const all = await start('recall', 'List every castle that was visited')
  expect(all.stderr).toBe('This list has everything that recall found.\n')
  const first = await start('recall', 'List every castle that was visited', '--limit', '1')
  expect(first.stderr).toMatch(/^This list has about 3\d % of what recall found\. .* --limit\.\n$/)
  const none = await start('recall', 'List every yacht of the harbour master')
  expect(none).toEqual({ code: 0, stdout: 'Nothing fits.\n', stderr: '' })
  await rm(home, { recursive: true })
})

describe('a table that is cut or missing', () => {
  /** A copy of the command line, beside which the table can be damaged. Its packages are found from there. */
  let place = ''
  beforeAll(async () => {
    place = await mkdtemp(join(dirname(cli), 'damaged-'))
    await copyFile(cli, join(place, 'cli.mjs'))
  })
  afterAll(() => rm(place, { recursive: true, force: true }))
  const table = () => join(place, 'meaning.bin')
  const start = (...args: string[]) =>
    ended(spawn(process.execPath, [join(place, 'cli.mjs'), ...args, '--home', home], { stdio: 'pipe' }))

  test.each([
    ['cut', () => writeFile(table(), 'DBMEAN01'), 'no table'],
    ['missing', () => rm(table()), 'ENOENT'],
  ])('%s: recall says that words answered, and doctor what to do', async (_name, damage, why) => {
    await writeFile(table(), '')
    await damage()
    await run('store', 'fact', JSON.stringify({ schema: 'note', data: { text: 'A car in the yard' } }))
    const recalled = await start('recall', 'car')
    expect([recalled.code, recalled.stdout.includes('car in the yard')]).toEqual([0, true])
    expect(recalled.stderr).toMatch(/^Not found by meaning, only by words: The file of its table /m)
    expect(recalled.stderr).toContain(why)
    const checked = await start('doctor')
    expect(checked.code).toBe(1)
    expect(checked.stdout).toMatch(
      /FAULT {4}meaning: The file of its table .*\n +Install the package again\./,
    )
    const plain = await start('recall', 'car', '--words')
    expect([plain.code, plain.stderr]).toEqual([0, ''])
  })

  test('a whole one is ok', async () => {
    const { stdout } = await ended(startDaybook(['doctor', '--home', home]))
    expect(stdout).toMatch(/ok {7}meaning: its table is whole: \S+, 27,676 word pieces/)
  })
})
