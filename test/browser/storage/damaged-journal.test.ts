// A book in IndexedDB that lost a part of its pages: it is repaired, and the damaged one can be fetched until it is erased.
import { openDB } from 'idb'
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/index.ts'
import { databaseName } from '../../../src/hosts/browser/storage/book-names.ts'
import { makeTrace } from '../../support/trace.ts'
import { takeAway } from './take-away.ts'

takeAway('opfs')

const count = 1000
const traces = (from: number) =>
  Array.from({ length: count }, (_, i) =>
    makeTrace({ id: `t-${from + i}`, task: { goal: `Goal ${from + i} of the harbour` } }),
  )

/** Changes the bytes of a part of the closed book, which has 256 KiB. */
async function change(name: string, index: number, bytes: (part: Uint8Array) => Uint8Array): Promise<void> {
  const db = await openDB(databaseName(name))
  const part = (await db.get('extents', index)) as Uint8Array
  await db.put('extents', bytes(part), index)
  db.close()
}

async function asidesOf(name: string): Promise<Uint8Array[]> {
  const db = await openDB('daybook-aside')
  const keys = (await db.getAllKeys('files')).filter((key) => String(key).startsWith(`${name}-`))
  const files = await Promise.all(keys.map((key) => db.get('files', key) as Promise<Uint8Array>))
  db.close()
  return files
}

it.each([
  ['its second part', 1],
  ['its first part', 0],
])('repairs a book in IndexedDB that lost %s, and stores the damaged one aside', async (_what, index) => {
  const name = `damaged-journal-${index}-${crypto.randomUUID().slice(0, 8)}`
  {
    await using book = await openDaybook({ name })
    expect((await book.status()).durability).toBe('indexeddb')
    for (const from of [0, count]) await book.traces.storeMany({ traces: traces(from) })
  }
  await change(name, index, (part) => new Uint8Array(part.length))
  let total = 0
  {
    await using book = await openDaybook({ name })
    ;({ total } = await book.traces.count())
    expect(total).toBeLessThan(2 * count)
    await book.traces.store(makeTrace({ id: 'new', task: { goal: 'A lighthouse' } }))
    expect((await book.recall({ text: 'lighthouse' })).hits).toHaveLength(1)
    const { degraded } = await book.status()
    expect(degraded.join()).toMatch(/mended: .*not all of .*daybook-aside\/damaged-journal-/)
  }
  expect((await asidesOf(name)).map(({ length }) => length > 1_000_000)).toEqual([true])
  const again = await openDaybook({ name })
  expect((await again.traces.count()).total).toBe(total + 1)
  expect(await asidesOf(name)).toHaveLength(1)
  await again.erase({ confirm: name })
  expect(await asidesOf(name)).toEqual([])
})
