// A thousand schedules: any course of events ends with all copies the same and nothing lost. Seeds never change their
// meaning; `npm run soak` plays others, for as long as asked.
import { describe, it } from 'vitest'
import { findFault } from './sound.ts'

const first = 1000
const hundreds = Array.from({ length: 10 }, (_, hundred) => first + hundred * 100)

describe('D3 D5 D6 M2 comes to rest with all the same, nothing lost, nothing applied twice', () => {
  it.each(hundreds)('in the hundred schedules from %i', { timeout: 120_000 }, async (from) => {
    for (let seed = from; seed < from + 100; seed++) {
      const fault = await findFault(seed)
      if (fault !== undefined) throw new Error(fault)
    }
  })
})
