// Rows that something else wrote into the folder of a collection.
import { createCollection } from '@tanstack/db'
import { expect, it } from 'vitest'
import { daybookCollectionOptions } from '../../../../../src/doors/adapter/tanstack-db/collection.ts'
import { openBook, until } from './rows-case.ts'

interface Row {
  id: string
  a?: unknown
}

it('leaves out a row of somebody else that says nothing, tells of it once, and has all others', async () => {
  await using book = await openBook()
  const told: string[] = []
  const row = (key: string, value: object) => ({
    folder: 'rows/',
    key,
    value: { id: key, ...value } as never,
  })
  await book.documents.write({
    changes: [
      row('good', { a: 1 }),
      row('bytes', { a: { $bytes: 'not base64' } }),
      row('deep', { a: { $json: '{' } }),
      row('like', { a: { $other: 7 } }),
    ],
  })
  const rows = createCollection(
    daybookCollectionOptions<Row>({
      book,
      folder: 'rows/',
      getKey: ({ id }) => id,
      onError: ({ details }) => void told.push(String(details['id'])),
    }),
  )
  await rows.preload()
  expect(new Set(rows.toArray.map(({ id }) => id))).toEqual(new Set(['good', 'like']))
  const { documents } = await book.documents.list({ folder: 'rows/' })
  const bad = documents.filter(({ key: name }) => name === 'bytes' || name === 'deep').map(({ id }) => id)
  expect(new Set(told)).toEqual(new Set(bad))
  await rows.utils.refetch()
  await rows.insert({ id: 'mine', a: { $bytes: 'not base64' } }).isPersisted.promise
  expect(rows.get('mine')).toMatchObject({ id: 'mine', a: { $bytes: 'not base64' } })
  expect(told).toHaveLength(2)
  await book.documents.write({ changes: [row('bytes', { a: 2 })] })
  await until(rows, () => rows.get('bytes') !== undefined)
})
