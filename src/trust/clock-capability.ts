// The verb for a clock that was wrong: what a book has seen of time holds guests to the end of what they were given.
import { z } from 'zod'
import { defineCapability } from '../core/capability/capability.ts'

export const clockCapabilities = [
  defineCapability({
    id: 'daybook:reset_clock',
    methods: ['resetClock'],
    summary:
      'Takes the clock of this copy of the book for right, though it has been later: tokens and keys that ended by that are let in again.',
    input: z.strictObject({}).prefault({}),
    output: z.object({
      /** How far the clock was behind the latest time that was seen, in milliseconds. */
      behind_ms: z.number(),
    }),
    effect: 'write',
    uses: ['trust'],
    run(_input, at) {
      return { behind_ms: at.trust.resetTime() }
    },
  }),
] as const
