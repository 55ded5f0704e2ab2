// Where the rows of a search come from: every record once and in order, and one ranking for many pages.
import { expect, test } from 'vitest'
import { kindOfView } from '../../../../../demo/kind/kind-table.ts'
import type { RecordKind } from '../../../../../demo/kind/record-kind.ts'
import { searchPages } from '../../../../../demo/state/list/record-source.ts'
import { pageRows } from '../../../../../demo/state/list/row-page.ts'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { makeTrace } from '../../../../support/trace.ts'

async function fill(book: Daybook, traces: number): Promise<string[]> {
  const same = makeTrace({ task: { goal: 'Send the courier' } })
  const { ids } = await book.traces.storeMany({ traces: Array.from({ length: traces }, () => same) })
  return ids.toReversed()
}

test('reads the pages of a search in blocks, each record once, and asks again for one that failed', async () => {
  await using book = await openDaybook({ name: 'pages', path: ':memory:' })
  const ids = await fill(book, pageRows * 3 + 5)
  const asked: number[] = []
  const refusals = [new Error('not now')]
  const search: Daybook['records']['search'] = (ask, how) => {
    asked.push(ask.offset ?? 0)
    const refusal = ask.offset === pageRows ? refusals.pop() : undefined
    return refusal ? Promise.reject(refusal) : book.records.search(ask, how)
  }
  const from: Daybook = { ...book, records: { ...book.records, search } }
  const load = searchPages(from, kindOfView('traces') as RecordKind, {
    text: 'courier',
    match: 'all',
    filters: undefined,
  })
  const read = (page: number) => load(page, new AbortController().signal)
  const first = await read(0)
  await expect(read(1)).rejects.toThrow('not now')
  const later = await Promise.all([read(1), read(2), read(3)])
  const rows = [first, ...later].flatMap((page) => page.rows.map(({ id }) => id))
  expect(rows).toEqual(ids)
  expect([first, ...later].map(({ hasMore }) => hasMore)).toEqual([true, true, true, false])
  expect(asked).toEqual([0, pageRows, pageRows])
})
