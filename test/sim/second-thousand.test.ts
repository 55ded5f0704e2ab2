// A thousand schedules from the whole table of steps, with marks, successions of facts, skills and what is left sealed at the
// mirror: any course of events ends with all copies the same and nothing lost. `npm test` plays 200 of them.
import { describe, it } from 'vitest'
import { draws } from '../support/whole.ts'
import { findFault } from './sound.ts'

const first = 1000
const hundreds = Array.from({ length: draws(2, 10) }, (_, hundred) => first + hundred * 100)

describe('D3 D5 D6 M2 C6 C13 C15 E2 E4 comes to rest with all the same, nothing lost, each use and mark counted once, one fact current of each succession, nothing sealed read at the mirror', () => {
  it.each(hundreds)('in the hundred schedules from %i', { timeout: 170_000 }, async (from) => {
    for (let seed = from; seed < from + 100; seed++) {
      const fault = await findFault(seed)
      if (fault !== undefined) throw new Error(fault)
    }
  })
})
