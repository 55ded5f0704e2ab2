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
