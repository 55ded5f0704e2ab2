// A thousand schedules: any course of events ends with all copies the same and nothing lost. Seeds never change their
// meaning; `npm run soak` plays others, for as long as asked.
import { it } from 'vitest'
import { findFault } from './sound.ts'

it(
  'D3 D5 D6 M2 comes to rest with all the same, nothing lost, nothing applied twice',
  { timeout: 300_000 },
  async () => {
    for (let seed = 1000; seed < 1000 + 1000; seed++) {
      const fault = await findFault(seed)
      if (fault !== undefined) throw new Error(fault)
    }
  },
)
