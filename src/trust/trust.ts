// The chapter of trust: control tokens, access keys, sealing keys, registered agents; and the verb that resets the
// latest time seen after the clock was too far ahead.
import { defineChapter } from '../core/capability/chapter.ts'
import { agentCapabilities } from './agent/agent-capability.ts'
import { accessKeyCapabilities } from './access-key-capability.ts'
import { sealCapabilities } from './seal/seal-capability.ts'
import { secretCapabilities } from './secret-capability.ts'
import { tokenCapabilities } from './token-capability.ts'
import { tokenReadCapabilities } from './token-read-capability.ts'
import { trustBase } from './trust-base.ts'
import { z } from 'zod'
import { defineCapability } from '../core/capability/capability.ts'

const clockCapabilities = [
  defineCapability({
    id: 'daybook:reset_clock',
    methods: ['resetClock'],
    summary:
      'Accepts the current clock of this copy as right, after the clock was too far ahead. Tokens and keys that ended only because of the wrong time are valid again.',
    input: z.strictObject({}).prefault({}),
    output: z.object({
      /** Latest time that this copy had seen, minus the current time, in milliseconds. */
      behindMs: z.number(),
    }),
    effect: 'write',
    uses: ['trust'],
    run(_input, at) {
      return { behindMs: at.trust.resetTime() }
    },
  }),
] as const

export const trust = defineChapter({
  ...trustBase,
  capabilities: [
    ...tokenCapabilities,
    ...tokenReadCapabilities,
    ...accessKeyCapabilities,
    ...sealCapabilities,
    ...secretCapabilities,
    ...agentCapabilities,
    ...clockCapabilities,
  ],
})
