// The page that measures consent: what policies say of an agent's call, and the profile that a book of memories answers.
import { openDaybook } from '../../src/index.ts'
import { utcZone } from '../../src/core/zone.ts'
import { compilePolicies, type Policy } from '../../src/memory/consent/policy/policy-decision.ts'

const policyCount = 1000
const agentCount = 400
const categories = ['preferences.ui', 'preferences.food', 'professional.tools', 'interests.music', 'context']
const types = ['episodic', 'semantic', 'procedural'] as const
const batch = 500

/** A third of them match every agent, with conditions of every sort. */
function makePolicy(n: number): Policy {
  const conditions = [
    undefined,
    { timeOfDay: { start: `0${n % 10}:00`, end: '22:00' } },
    { rateLimit: { requests: 10 + (n % 50), window: '1h' } },
  ][Math.floor(n / 3) % 3]
  return {
    id: `policy_${n}`,
    forAgents: n % 3 === 0 ? 'did:a2p:agent:*' : `did:a2p:agent:*:other${n}`,
    allow: [`a2p:preferences.t${n}`, 'a2p:semantic'],
    deny: n % 7 === 0 ? [`a2p:health.t${n}`] : [],
    permissions: ['read_scoped'],
    priority: n % 100,
    enabled: true,
    conditions,
  }
}

export interface ProfileTimes {
  readonly scopes: string
  readonly found: number
  readonly ms: readonly number[]
}

const asked = [['a2p:preferences.ui.t0'], ['a2p:preferences.ui'], ['a2p:semantic.preferences'], undefined]

export const bench = {
  /** Milliseconds of each of `count` decisions, for other agents in turn. */
  decide(count: number): { readonly matching: number; readonly ms: readonly number[] } {
    const { decide } = compilePolicies(Array.from({ length: policyCount }, (_, n) => makePolicy(n)))
    const began = Date.UTC(2026, 6, 1, 12)
    const ms: number[] = []
    let matching = 0
    for (let n = 0; n < count; n++) {
      const given = {
        nowMs: began + n * 1000,
        way: 'https' as const,
        zone: () => utcZone,
        calls: () => n % 40,
      }
      const from = performance.now()
      const made = decide(`did:a2p:agent:local:bot${n % agentCount}`, given)
      ms.push(performance.now() - from)
      matching = made.matched.length
    }
    return { matching, ms }
  },
  /** Milliseconds of profiles of a new book of `size` memories, by what is asked for. */
  async profile(size: number, rounds: number): Promise<readonly ProfileTimes[]> {
    const book = await openDaybook({ name: `consent-${crypto.randomUUID()}`, agent: 'bench' })
    for (let from = 0; from < size; from += batch)
      await Promise.all(
        Array.from({ length: Math.min(batch, size - from) }, (_, i) => {
          const n = from + i
          return book.memories.store({
            content: `User said number ${n}: prefers the ${n % 97}th way of doing the ${n % 89}th thing, mostly on weekdays`,
            category: `a2p:${categories[n % 5] ?? ''}.t${n % 20}`,
            memory_type: types[n % 3] ?? 'episodic',
          })
        }),
      )
    const times: ProfileTimes[] = []
    for (const scopes of asked) {
      const ask = () => book.memories.profile(scopes ? { scopes } : {})
      const { memories } = await ask()
      const ms: number[] = []
      for (let round = 0; round < rounds; round++) {
        const from = performance.now()
        await ask()
        ms.push(performance.now() - from)
      }
      times.push({ scopes: scopes?.join() ?? 'all', found: Object.values(memories).flat().length, ms })
    }
    await book.close()
    return times
  },
}

export type ConsentBench = typeof bench
