// A write that comes again under its request id after its record was purged or sealed: it stores nothing, and says why.
import { expect, it } from 'vitest'
import { openDaybook } from '../../../src/hosts/node/index.ts'
import { failure } from '../../contract/book-case.ts'

it.each(['purge', 'seal', 'forget'] as const)('stores nothing anew after: %s', async (way) => {
  await using book = await openDaybook({ name: 'repeated', path: ':memory:' })
  const store = () => book.perceptions.store({ content: 'Has a scar' }, { requestId: 'r' })
  const first = await store()
  const { id } = first
  if (way === 'seal') await book.records.setSensitivity({ id, sensitivity: 'restricted' })
  else await book.records[way]({ id })
  if (way === 'forget') expect(await store()).toEqual(first)
  else
    expect(await failure(store())).toMatchObject({
      code: 'conflict',
      details: { path: 'requestId', reason: 'answer-erased' },
    })
  expect((await book.perceptions.query({})).records).toHaveLength(way === 'seal' ? 1 : 0)
})

it('stores nothing anew after a purge of a sealed record, whose answer is sealed, and erases no other answer', async () => {
  await using book = await openDaybook({ name: 'repeated-sealed', path: ':memory:' })
  const store = (id: string) =>
    book.perceptions.store(
      { id, content: 'Has a scar', sensitivity: 'restricted' },
      { requestId: `store-${id}` },
    )
  const mark = (id: string) => book.records.mark({ id, collection: 'Zanzibar' }, { requestId: `mark-${id}` })
  for (const id of ['a', 'b', 'c']) {
    await store(id)
    await mark(id)
  }
  const erased = { code: 'conflict', details: { path: 'requestId', reason: 'answer-erased' } }
  await book.records.forget({ id: 'a' })
  expect(await store('a')).toMatchObject({ id: 'a' })
  expect(await failure(mark('a'))).toMatchObject(erased)
  await book.records.purge({ id: 'b' })
  for (const again of [store, mark]) expect(await failure(again('b'))).toMatchObject(erased)
  expect(await mark('c')).toMatchObject({ marks: { collection: 'Zanzibar' } })
  expect(await store('c')).toMatchObject({ id: 'c' })
})
