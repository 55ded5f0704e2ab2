// What a guest with a big reach asks at workerd, whose SQLite takes 25,000 steps a program, expressions 100 deep and 100
// parameters: every read is answered, however many patterns its key allows and denies.
import { expect, it } from 'vitest'
import { makeTrace } from '../../support/trace.ts'
import { bigPolicies, bigReach, everyRead } from '../../contract/access/big-reach.ts'
import { call, newBook, run } from './http.ts'

it.each([[''], ['with policies']])(
  'answers every read of a guest with the biggest reach that there is %s',
  async (policies) => {
    const book = newBook()
    await run(
      book,
      'kstar:store_trace',
      makeTrace({ id: 'seen', task: { goal: 'Buy pepper', constraints: [] } }),
    )
    const input = { content: 'Likes pepper', category: 'a2p:preferences.food', memory_type: 'semantic' }
    if (policies !== '') await run(book, 'a2p:store_memory', input)
    if (policies !== '') for (const policy of bigPolicies) await run(book, 'consent:set_policy', policy)
    const { key } = await run<{ key: string }>(book, 'daybook:create_access_key', {
      name: 'sensor',
      permissions: ['read', 'propose'],
      ...bigReach,
    })
    const reads = [...everyRead, ...(policies === '' ? [] : [['a2p:query_memories', {}] as const])]
    const outcomes: unknown[] = []
    for (const [verb, body] of reads) {
      const response = await call(`/v1/books/${book}/capabilities/${verb}`, { key, body })
      const text = await response.text()
      outcomes.push([verb, response.status, response.status === 200 ? '' : text])
    }
    expect(outcomes).toEqual(reads.map(([verb]) => [verb, 200, '']))
  },
)
