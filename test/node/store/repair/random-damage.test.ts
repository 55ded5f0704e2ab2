// Bytes of a book's file that changed anywhere: it is opened all the same, with nearly all of its records, and says so.
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type Daybook, openDaybook } from '../../../../src/hosts/node/index.ts'
import { makeTrace } from '../../../support/trace.ts'
import { pageBytes, rootOf } from './broken-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-random-damage-'))
afterAll(() => rmSync(folder, { recursive: true }))

const count = 300
const pattern = join(folder, 'pattern.daybook')
const goalOf = (id: string) => `Goal ${id} of the harbour`
const gone = 'A purged harbour'

beforeAll(async () => {
  const book = await openDaybook({ name: 'b', path: pattern })
  const traces = Array.from({ length: count }, (_, i) =>
    makeTrace({ id: `t-${i}`, task: { goal: goalOf(`t-${i}`) } }),
  )
  await book.traces.storeMany({ traces })
  await book.traces.store(makeTrace({ id: 'purged', task: { goal: gone } }))
  await book.records.purge({ id: 'purged' })
  await vi.waitUntil(async () => (await book.status()).checkpointAt !== undefined, { timeout: 20_000 })
  await book.close()
}, 30_000)

let copies = 0
function copied(suffixes: readonly string[]): string {
  const path = join(folder, `copy-${++copies}.daybook`)
  for (const suffix of suffixes)
    if (existsSync(pattern + suffix)) copyFileSync(pattern + suffix, path + suffix)
  return path
}

async function held(book: Daybook): Promise<number> {
  const { records } = await book.traces.query({ limit: 1000 })
  // A byte of a text may have become another letter, which nothing can tell: that is a lost record too.
  return records.filter(({ id, task }) => task.goal === goalOf(id)).length
}

/** What is there once a page that only a call meets has been mended too. */
async function opened(path: string): Promise<{ readonly left: number; readonly degraded: string }> {
  for (let opening = 0; ; opening++) {
    const book = await openDaybook({ name: 'b', path, textIndexInMemory: false, checkpoint: false })
    try {
      return { left: await held(book), degraded: (await book.status()).degraded.join() }
    } catch (error) {
      if (opening === 2) throw error
      expect(error).toMatchObject({ code: 'storage-failed' })
    } finally {
      await book.close()
    }
  }
}

/** Numerical Recipes' linear congruential generator: the same damage each time. */
function diceOf(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * sides)
  }
}

function change(path: string, work: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path)
  work(bytes)
  writeFileSync(path, bytes)
}

it.each([0, 5, 15, 16, 18, 19, 20, 21, 22, 23, 44, 47, 56, 59, 100, 103, 104, 105, 110])(
  'is opened with every record after byte %i of the file has changed, with a checkpoint beside it',
  async (at) => {
    const path = copied(['', '.checkpoint'])
    change(path, (bytes) => bytes.writeUInt8((bytes[at] ?? 0) ^ 0x5a, at))
    const { left } = await opened(path)
    expect(left).toBe(count)
  },
)

it('is opened after the text of its tables has changed', async () => {
  const path = copied(['', '.checkpoint'])
  change(path, (bytes) => {
    for (let at = bytes.indexOf('CREATE TABLE records'); at >= 0; at = bytes.indexOf('CREATE TABLE records'))
      bytes.write('CREATE TABLE recordq', at)
  })
  const { left, degraded } = await opened(path)
  expect(left).toBe(count)
  expect(degraded).toContain('mended')
})

it('reads records whose table has lost its root from their pages, and none that was purged', async () => {
  const path = copied([''])
  const root = rootOf(path, 'records')
  change(path, (bytes) => bytes.fill(0xa5, (root - 1) * pageBytes, root * pageBytes))
  const { left, degraded } = await opened(path)
  expect(left).toBe(count)
  expect(degraded).toContain('records came from pages that no table linked')
  expect(readdirSync(folder).some((name) => name.startsWith(`copy-${copies}.daybook.damaged-`))).toBe(true)
})

it(
  'is never refused, whatever bytes have changed, and gives back 95 of 100 records without any copy',
  { timeout: 240_000 },
  async () => {
    const dice = diceOf(20_261_124)
    const size = readFileSync(pattern).length
    let all = 0
    const rounds = 60
    for (let round = 0; round < rounds; round++) {
      const path = copied([''])
      const [at, length] = [
        dice(round % 4 === 0 ? pageBytes : size),
        1 + dice([1, 16, 512, 8192][round % 4] ?? 1),
      ]
      change(path, (bytes) => {
        for (let i = at; i < Math.min(size, at + length); i++) bytes.writeUInt8(dice(256), i)
      })
      const { left } = await opened(path).catch((error: unknown) => {
        throw new Error(`Round ${round}: ${length} bytes at ${at}`, { cause: error })
      })
      all += left
      for (const name of readdirSync(folder))
        if (name.startsWith(`copy-${copies}.`)) rmSync(join(folder, name))
    }
    process.stdout.write(`${all} of ${rounds * count} records came back.\n`)
    expect(all / (rounds * count)).toBeGreaterThanOrEqual(0.95)
  },
)
