// The chapter of trust: control tokens, access keys, sealing keys, registered agents; and the verb that confirms
// the clock after it was too far ahead.
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
      'Confirms the clock of this copy after it was too far ahead: tokens and keys that ended by that are valid again.',
    input: z.strictObject({}).prefault({}),
    output: z.object({
      /** Milliseconds by which the clock was behind the latest known time. */
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
