// Every read of a guest with a big reach is a statement that SQLite takes where statements are short, as at workerd.
import { expect, it } from 'vitest'
import { readReach } from '../../../src/core/access/reach.ts'
import type { Caller } from '../../../src/core/capability/caller.ts'
import { bigPolicies, bigReach, everyRead } from '../../contract/access/big-reach.ts'
import { openLimitedDatabase } from '../../support/limited-database.ts'
import { openTestEngine } from '../../support/test-engine.ts'
import { makeTrace } from '../../support/trace.ts'

it.each([[''], ['with policies']])(
  'answers every read of a guest with the biggest reach that there is %s',
  async (policies) => {
    const { engine } = openTestEngine({ db: openLimitedDatabase(), isAudited: false })
    await engine.call(
      'kstar:store_trace',
      makeTrace({ id: 'seen', task: { goal: 'Buy pepper', constraints: [] } }),
    )
    const input = { content: 'Likes pepper', category: 'a2p:preferences.food', memory_type: 'semantic' }
    if (policies !== '') await engine.call('a2p:store_memory', input)
    if (policies !== '') for (const policy of bigPolicies) await engine.call('consent:set_policy', policy)
    const caller: Caller = {
      role: 'guest',
      token: 'k',
      agent: 'sensor',
      by: 'claims',
      permissions: ['read', 'propose'],
      reach: readReach(bigReach) ?? expect.unreachable(),
    }
    const reads = [...everyRead, ...(policies === '' ? [] : [['a2p:query_memories', {}] as const])]
    const outcomes: unknown[] = []
    for (const [verb, asked] of reads)
      outcomes.push([
        verb,
        await engine.call(verb, asked, { caller }).then(
          () => 'ok',
          (error: unknown) => String((error as Error).message),
        ),
      ])
    expect(outcomes).toEqual(reads.map(([verb]) => [verb, 'ok']))
    engine.close()
  },
)
