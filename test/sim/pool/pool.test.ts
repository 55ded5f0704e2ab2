// Schedules of a pool of five claws: 600 in `npm test`, 3,000 in `npm run soak:whole`. Seeds never change their meaning;
// `npm run soak:pool` plays others.
import { describe, expect, it } from 'vitest'
import { draws } from '../../support/whole.ts'
import { findPoolFault } from './pool-fault.ts'
import { play, scheduleOf } from './pool-play.ts'

const hundreds = Array.from({ length: draws(4, 20) }, (_, i) => i * 100)
const firstHundreds = hundreds.slice(0, draws(1, 5))

describe('a pool of five claws, with loss, doubles, disorder and restarts', () => {
  it.each(hundreds)(
    'has one history of each fact and no double vote in the hundred schedules from %i',
    async (from) => {
      for (let seed = from; seed < from + 100; seed++) {
        const fault = await findPoolFault(seed)
        if (fault !== undefined) throw new Error(fault)
      }
    },
  )

  it.each(firstHundreds)(
    'takes nothing from strangers, other spellings and forged decisions in the hundred schedules from %i',
    async (from) => {
      for (let seed = from; seed < from + 100; seed++) {
        const fault = await findPoolFault(seed, 'attacked')
        if (fault !== undefined) throw new Error(fault)
      }
    },
  )

  it.each(firstHundreds)(
    'keeps nothing that its proposer took back, in the hundred schedules from %i',
    async (from) => {
      for (let seed = from; seed < from + 100; seed++) {
        const fault = await findPoolFault(seed, 'regretted')
        if (fault !== undefined) throw new Error(fault)
      }
    },
  )

  const count = draws(25, 100)

  it('is one in which facts are made and much is taken back', async () => {
    let facts = 0
    let withdrawn = 0
    for (let seed = 0; seed < count; seed++) {
      const played = await play(scheduleOf(seed, 'regretted'))
      facts += played.facts
      withdrawn += played.withdrawn
    }
    expect(facts).toBeGreaterThan(count / 10)
    expect(withdrawn).toBeGreaterThan(count)
  })

  it('makes facts while it is attacked', async () => {
    let facts = 0
    for (let seed = 0; seed < count; seed++) facts += (await play(scheduleOf(seed, 'attacked'))).facts
    expect(facts).toBeGreaterThan(count / 2)
  })

  it('is one in which facts are made, and revised', async () => {
    let facts = 0
    let revised = 0
    for (let seed = 0; seed < count; seed++) {
      const played = await play(scheduleOf(seed))
      facts += played.facts
      revised += played.versions > 1 ? 1 : 0
    }
    expect(facts).toBeGreaterThan(count / 2)
    expect(revised).toBeGreaterThan((count * 3) / 10)
  })
})
