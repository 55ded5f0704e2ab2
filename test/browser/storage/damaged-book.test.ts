// Broken pages in the file of a book on OPFS: it is mended where it stands, and the old file can be fetched.
import { expect, it } from 'vitest'
import { type Daybook, openDaybook } from '../../../src/index.ts'
import { makeTrace } from '../../support/trace.ts'
import { breakBook, cutBook, flipByte } from './book-file.ts'

const count = 1500
const run = crypto.randomUUID().slice(0, 8)

async function filled(name: string, { isCopied = false } = {}): Promise<void> {
  await using book = await openDaybook({ name, checkpoint: isCopied })
  const traces = Array.from({ length: count }, (_, i) =>
    makeTrace({
      id: `t-${i}`,
      timestamp: '2026-03-01T10:00:00Z',
      task: { goal: `Goal ${i} of the harbour` },
    }),
  )
  await book.traces.storeMany({ traces: traces.slice(0, 1000) })
  await book.traces.storeMany({ traces: traces.slice(1000) })
  expect((await book.traces.count()).total).toBe(count)
  if (isCopied) await expect.poll(async () => (await book.status()).checkpointAt).toBeDefined()
}

async function held(book: Daybook): Promise<number> {
  const { records } = await book.traces.query({ limit: 1000 })
  const { records: more } = await book.traces.query({ limit: 1000, offset: 1000 })
  for (const { id, task } of [...records, ...more])
    expect(task.goal).toBe(`Goal ${id.slice('t-'.length)} of the harbour`)
  return records.length + more.length
}

async function asideFile(degraded: readonly string[]): Promise<File> {
  const [, folder = '', file = ''] = /(daybook-aside)\/(\S+?)\. Delete/.exec(degraded.join()) ?? []
  const root = await navigator.storage.getDirectory()
  return (await (await root.getDirectoryHandle(folder)).getFileHandle(file)).getFile()
}

it('mends a book in the middle of work, when a call meets a broken page', async () => {
  const name = `damaged-${run}`
  await filled(name)
  const broken = await breakBook(name, (pagesWith) => pagesWith('Goal 77 of the harbour').slice(0, 1))
  await using book = await openDaybook({ name })
  const told: (readonly string[])[] = []
  book.on('status', ({ degraded }) => degraded && told.push(degraded))
  // Its tab lets go of the book, opens it again, and answers: the call knows nothing of that.
  const left = await held(book)
  expect(left).toBeLessThan(count)
  expect(left).toBeGreaterThan(count - 10)
  const { degraded, records } = await book.status()
  expect(records['trace']).toBe(left)
  await expect.poll(() => told.flat().join()).toContain('mended')
  expect(degraded.join()).toContain('mended')
  expect(new Uint8Array(await (await asideFile(degraded)).arrayBuffer()).length).toBeGreaterThanOrEqual(
    broken.length,
  )
  await book.traces.store(makeTrace({ id: 't-new', task: { goal: 'Goal new of the harbour' } }))
  expect(await held(book)).toBe(left + 1)
})

it('makes a new book of what cannot be read at all, and never in silence', async () => {
  const name = `shut-${run}`
  await filled(name)
  await breakBook(name, () => [1, 2, 3, 4])
  await using book = await openDaybook({ name })
  // The roots of the tables are gone: only the mirror could give their records back.
  const { degraded } = await book.status()
  expect(degraded.join()).toContain('not all of')
  expect((await asideFile(degraded)).size).toBeGreaterThan(1_000_000)
  await book.traces.store(makeTrace())
})

it('gives back from the copy beside it what cannot be read at all', async () => {
  const name = `copied-${run}`
  await filled(name, { isCopied: true })
  await breakBook(name, () => [1, 2, 3, 4])
  await using book = await openDaybook({ name })
  expect(await held(book)).toBe(count)
  const { degraded, sync } = await book.status()
  expect(degraded.join()).toContain(`${count} records came back from the checkpoint of`)
  expect(sync.pending).toBe(count)
})

it.each([
  ['has not a byte any more', 4096],
  ['lost its name with all its bytes', 0],
])('gives a book whose file %s back from the copy beside it', async (_what, size) => {
  const name = `cut-${size}-${run}`
  await filled(name, { isCopied: true })
  await cutBook(name, size)
  {
    await using book = await openDaybook({ name })
    expect(await held(book)).toBe(count)
    const { degraded, sync } = await book.status()
    expect(degraded.join()).toContain(`${count} records came back from the checkpoint of`)
    expect(sync.pending).toBe(count)
    if (size > 0) expect((await asideFile(degraded)).size).toBe(0)
    else expect(degraded.join()).toContain('the file was gone')
  }
  await using again = await openDaybook({ name })
  expect(await held(again)).toBe(count)
})

it.each([4096, 0])(
  'says of a book that has no copy and not a byte any more that it was there (%i)',
  async (size) => {
    const name = `blank-${size}-${run}`
    {
      await using book = await openDaybook({ name, checkpoint: false })
      await book.traces.store(makeTrace())
      await expect.poll(() => localStorage.getItem(`daybook:${name}:kept`)).not.toBeNull()
    }
    await cutBook(name, size)
    await using book = await openDaybook({ name, checkpoint: false })
    expect((await book.status()).degraded.join()).toMatch(
      /^evicted: .* What was not exported or synced is gone/,
    )
  },
)

const firstPage = [
  ['its name', 3],
  ['the size of a page', 16],
  ['who may write it', 18],
  ['who may read it', 19],
  ['what is left free in a page', 20],
  ['the number of changes', 27],
  ['the number of pages', 31],
  ['where free pages begin', 35],
  ['the number of its schema', 43],
  ['the format of its schema', 47],
  ['the vacuum', 55],
  ['the encoding of its texts', 59],
  ['when its size was valid', 95],
  ['what kind of page it is', 100],
  ['the number of cells', 104],
  ['where a cell begins', 109],
  ['the page that comes last', 111],
] as const

it.for(firstPage)('opens with everything in it after a changed byte of %s', async ([, at]) => {
  const name = `byte-${at}-${run}`
  const ids = Array.from({ length: 60 }, (_, i) => `t-${i}`)
  {
    await using book = await openDaybook({ name, checkpoint: false })
    await book.traces.storeMany({
      traces: ids.map((id) => makeTrace({ id, task: { goal: `Goal of ${id}` } })),
    })
  }
  await flipByte(name, at)
  await using book = await openDaybook({ name, checkpoint: false })
  const { records } = await book.traces.query({ limit: 1000 })
  expect(records.map(({ id }) => id).sort()).toEqual([...ids].sort())
  await book.traces.store(makeTrace({ id: 'after' }))
  expect((await book.traces.count()).total).toBe(ids.length + 1)
})
