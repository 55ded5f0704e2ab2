// Two thousand schedules of a pool of five claws. Seeds never change their meaning; `npm run soak:pool` plays others.
import { describe, expect, it } from 'vitest'
import { findPoolFault } from './pool-fault.ts'
import { play, scheduleOf } from './pool-play.ts'

const hundreds = Array.from({ length: 20 }, (_, i) => i * 100)

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

  it.each([0, 100, 200, 300, 400])(
    'takes nothing from strangers, other spellings and forged decisions in the hundred schedules from %i',
    async (from) => {
      for (let seed = from; seed < from + 100; seed++) {
        const fault = await findPoolFault(seed, 'attacked')
        if (fault !== undefined) throw new Error(fault)
      }
    },
  )

  it.each([0, 100, 200, 300, 400])(
    'keeps nothing that its proposer took back, in the hundred schedules from %i',
    async (from) => {
      for (let seed = from; seed < from + 100; seed++) {
        const fault = await findPoolFault(seed, 'regretted')
        if (fault !== undefined) throw new Error(fault)
      }
    },
  )

  it('is one in which facts are made and much is taken back', async () => {
    let facts = 0
    let withdrawn = 0
    for (let seed = 0; seed < 100; seed++) {
      const played = await play(scheduleOf(seed, 'regretted'))
      facts += played.facts
      withdrawn += played.withdrawn
    }
    expect(facts).toBeGreaterThan(10)
    expect(withdrawn).toBeGreaterThan(100)
  })

  it('makes facts while it is attacked', async () => {
    let facts = 0
    for (let seed = 0; seed < 100; seed++) facts += (await play(scheduleOf(seed, 'attacked'))).facts
    expect(facts).toBeGreaterThan(50)
  })

  it('is one in which facts are made, and revised', async () => {
    let facts = 0
    let revised = 0
    for (let seed = 0; seed < 100; seed++) {
      const played = await play(scheduleOf(seed))
      facts += played.facts
      revised += played.versions > 1 ? 1 : 0
    }
    expect(facts).toBeGreaterThan(50)
    expect(revised).toBeGreaterThan(30)
  })
})
