// Holds a book that earlier code stored against what that code had written into it.
import { expect } from 'vitest'
import type { Daybook } from '../../src/book/daybook.ts'
import { schemaVersion } from '../../src/store/schema/schema.ts'
import { makeTrace } from '../support/trace.ts'
import type { StoredBook } from './stored-book.ts'

/** Everything is there, is found, can be changed and is still to be sent. */
export async function expectStored(book: Daybook, stored: StoredBook): Promise<void> {
  const status = await book.status()
  expect(status.schema).toBe(schemaVersion)
  expect(status.degraded).toEqual([])
  expect(status.sync.pending).toBe(stored.pending)
  for (const { id, kind, body } of stored.records) {
    const record = await book.records.get({ id })
    expect(record).toMatchObject({ ...body, id, kind })
  }
  const counted: Record<string, number> = {}
  for (const { kind } of stored.records) counted[kind] = (counted[kind] ?? 0) + 1
  expect(status.records).toMatchObject(counted)
  expect((await book.traces.history({ id: 'trace-1' })).versions).toHaveLength(2)
  expect(await book.traces.get({ id: 'trace-3' })).toBeNull()
  expect((await book.traces.count()).total).toBe(2)
  const { hits } = await book.recall({ text: 'northern lighthouse' })
  expect(hits[0]?.record.id).toBe('trace-1')
  if (stored.made.includes('task:add')) expect((await book.tasks.list()).tasks).toHaveLength(1)
  const { id } = await book.traces.store(makeTrace())
  await book.traces.forget({ id: 'trace-2' })
  expect((await book.traces.query({ limit: 10 })).records.map((one) => one.id).sort()).toEqual(
    [id, 'trace-1'].sort(),
  )
  expect((await book.status()).sync.pending).toBe(stored.pending + 1)
}
