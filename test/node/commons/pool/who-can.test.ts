// Who can do something is asked of the claws that are there alone. The answer is that of reading all that were ever heard of.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { coveringCapabilities } from '../../../../src/commons/pool/rule/capability-pattern.ts'
import { defined } from '../../../../src/core/defined.ts'
import { recordIds } from '../../../../src/core/text/name-id.ts'
import type { Engine } from '../../../../src/engine/engine.ts'
import { createWorld, give, type World } from './pool-world.ts'

const names = ['ada@far', 'bob@far', 'cy:4@far', 'dan@far'] as const
const abilities = [
  'db.read:orders,customers',
  'db.read',
  'db.write:orders',
  'logs.read:/var/*',
  'logs.read:/**',
]
const questions = ['db.read:orders', 'db.write', 'logs.read:/var/app', 'logs.read:/srv/x/y']

const claw = fc.constantFrom(...names)
const can = fc.subarray(abilities)
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('announce' as const), claw, can }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('be' as const),
      claw,
      status: fc.constantFrom('active', 'stopping'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('announceOwn' as const), can }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('kstar:forget', 'kstar:purge'),
      claw: fc.constantFrom(...names, 'me@main'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('group' as const), group: fc.constantFrom('daybook', 'other') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1000, 100_000, 140_000) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

interface Found {
  readonly clawId: string
  readonly displayName?: string
  readonly matched: readonly string[]
  readonly updatedAt: string
}

/** What `who_can` says, and what it would say if it read every claw. */
async function bothWays(book: Engine, capability: string, as?: string) {
  const by = defined({ as })
  const { claws: found } = (await book.call('pool:who_can', { capability }, by)) as { claws: Found[] }
  const { claws } = (await book.call('pool:claws', { active: true }, by)) as {
    claws: { claw: string; displayName?: string; capabilities: string[]; announcedAt: string }[]
  }
  const read = claws.flatMap(({ claw: clawId, displayName, capabilities, announcedAt: updatedAt }) => {
    const matched = coveringCapabilities(capabilities, capability)
    return matched ? [{ clawId, ...defined({ displayName }), matched, updatedAt }] : []
  })
  return { found, read }
}

async function take(world: World, book: Engine, one: Step, group: string): Promise<void> {
  const payload = { group, updatedAt: world.at() }
  switch (one.do) {
    case 'announce': {
      const told = { ...payload, capabilities: one.can, displayName: `The ${one.claw}` }
      await give(book, world.envelope(one.claw, 'capabilities', told))
      return
    }
    case 'be':
      await give(book, world.envelope(one.claw, 'presence', { ...payload, status: one.status }))
      return
    case 'announceOwn':
      await book.call('pool:announce', { capabilities: one.can })
      return
    case 'group':
      await book.call('pool:configure', { group: one.group })
      return
    case 'pass':
      await world.pass(one.ms)
      return
    default:
      await book.call(one.do, { id: recordIds.claw(one.claw) })
  }
}

describe('who can do something', () => {
  it('is answered from the claws that are there as if all were read, to the owner and to guests, whatever was before', async () => {
    let answers = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 20 }), async (steps) => {
        const world = createWorld()
        try {
          const book = world.open()
          await book.call('pool:configure', { verify: 'off' })
          const { token } = (await book.call('kstar:grant_control_token', {
            scope: 'pool:daybook',
            permissions: ['read'],
            granted_to: 'helper',
            expires_at: '2099-01-01T00:00:00Z',
          })) as { token: { token_id: string } }
          let group = 'daybook'
          for (const [n, one] of steps.entries()) {
            await take(world, book, one, group)
            if (one.do === 'group') group = one.group
            for (const capability of [questions[n % 4] ?? '', questions[(n + 1) % 4] ?? ''])
              for (const as of [undefined, token.token_id]) {
                const { found, read } = await bothWays(book, capability, as)
                expect(found).toEqual(read)
                // What the group of the guest's scope did not say is not told.
                if (as !== undefined && group === 'other') expect(found).toEqual([])
                answers += found.length
              }
          }
        } finally {
          world.close()
        }
      }),
      { numRuns: 8 },
    )
    expect(answers).toBeGreaterThan(0)
  })

  it('says nothing of a claw whose announcement was forgotten, until it announces itself again', async () => {
    const world = createWorld()
    try {
      const book = world.open()
      await book.call('pool:configure', { verify: 'off' })
      const say = async () => {
        const payload = { group: 'daybook', updatedAt: world.at() }
        await give(book, world.envelope('ada@far', 'presence', { ...payload, status: 'active' }))
        await give(book, world.envelope('ada@far', 'capabilities', { ...payload, capabilities: ['db.read'] }))
      }
      const who = async () => (await bothWays(book, 'db.read')).found.map(({ clawId }) => clawId)
      await say()
      expect(await who()).toEqual(['ada@far'])
      await book.call('kstar:purge', { id: recordIds.claw('ada@far') })
      expect(await who()).toEqual([])
      await world.pass(1000)
      await say()
      expect(await who()).toEqual(['ada@far'])
    } finally {
      world.close()
    }
  })

  it('names a claw by its announcement, in whichever spelling it says that it is there', async () => {
    const world = createWorld()
    try {
      const book = world.open()
      await book.call('pool:configure', { verify: 'off' })
      const payload = { group: 'daybook', updatedAt: world.at() }
      await give(book, world.envelope('ADA@far', 'capabilities', { ...payload, capabilities: ['db.read'] }))
      await give(book, world.envelope('ada@far', 'presence', { ...payload, status: 'active' }))
      expect((await bothWays(book, 'db.read')).found).toMatchObject([{ clawId: 'ada@far' }])
    } finally {
      world.close()
    }
  })
})
