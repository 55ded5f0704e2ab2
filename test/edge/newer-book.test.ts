// A mirror that newer code wrote, as after a deployment that was taken back: devices are told, nothing is changed.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { makeTrace } from '../support/trace.ts'
import { call, expectError, newBook, run, syncRequest } from './http/http.ts'

it('answers reads of a mirror that newer code wrote, and takes no sync', async () => {
  const book = newBook()
  const sync = () => call(`/v1/books/${book}/sync`, { body: syncRequest() })
  const alter = async (sql: string) => {
    const stub = env.MIRROR.getByName(book)
    await runInDurableObject(stub, (_instance, { storage }) => void storage.sql.exec(sql))
    await evictDurableObject(stub)
  }
  await run(book, 'kstar:store_trace', makeTrace())
  await run(book, 'kstar:count_traces', {})
  const before = (await (await sync()).json()) as { changes: unknown[] }
  expect(before.changes).toHaveLength(1)
  await alter("INSERT INTO schema_version VALUES (99, '2099-01-01T00:00:00.000Z')")
  await expectError(await sync(), 409, 'book-newer')
  expect(await run(book, 'kstar:query_traces', {})).toMatchObject({ records: [{ ver: 1 }] })
  await expectError(
    await call(`/v1/books/${book}/capabilities/kstar:store_trace`, { body: makeTrace() }),
    409,
    'book-newer',
  )
  await alter('DELETE FROM schema_version WHERE version = 99')
  expect(await (await sync()).json()).toMatchObject({ changes: before.changes })
})
