// A thousand schedules: any course of events ends with all copies the same and nothing lost. These seeds never
// change their meaning; `npm test` plays 200 of them, `npm run soak:whole` all, `npm run soak` others, for as long
// as asked.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { makeSchedule } from './schedule.ts'
import { draws } from '../support/whole.ts'
import { findFault } from './sound.ts'

const first = 0
const hundreds = Array.from({ length: draws(2, 10) }, (_, hundred) => first + hundred * 100)

it('the first thousand seeds mean what they always meant', () => {
  const hash = createHash('sha256')
  for (let seed = first; seed < first + 1000; seed++) hash.update(JSON.stringify(makeSchedule(seed)))
  expect(hash.digest('hex')).toBe('59bf7871f558722156be9801dfcbe723a968bcdcf9ac6fa337399f4791481a66')
})

describe('D3 D5 D6 M2 comes to rest with all the same, nothing lost, nothing applied twice', () => {
  it.each(hundreds)('in the hundred schedules from %i', { timeout: 170_000 }, async (from) => {
    for (let seed = from; seed < from + 100; seed++) {
      const fault = await findFault(seed)
      if (fault !== undefined) throw new Error(fault)
    }
  })
})
