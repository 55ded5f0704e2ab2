// The verb that gives an agent what it should have in mind: messages, episodes and profiles, in the order of time.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { conversationScope, scopeOf } from './conversation-scope.ts'
import { source } from '../../../shape/source.ts'
import { recallMessages } from './recall-message.ts'

export const conversationRecallCapabilities = [
  defineCapability({
    id: 'ks:recall',
    permission: 'read',
    methods: ['conversation.recall'],
    summary:
      'Recalls what an agent heard and said about a question, oldest first; without a question, the most recent.',
    input: z.strictObject({
      ...conversationScope,
      /** Words of a user. Empty: the most recent messages. */
      query: z.string().max(10_000).default(''),
      limit: z.number().int().min(1).max(500).default(10),
    }),
    output: z.object({
      messages: z.array(
        z.object({
          /** The name its sender gave it, or the id of the record. */
          id: z.string(),
          /** Of an episode and of a profile, their text after `[Episode] ` and `[Profile] `. */
          content: z.string(),
          source: z.looseObject({ ...source.shape, System: z.string().optional() }),
          timestamp: z.string(),
        }),
      ),
    }),
    effect: 'read',
    uses: ['records', 'recall'],
    async run({ query, limit, ...scope }, at) {
      const { agent } = scopeOf(scope, at.call)
      // Only what the caller names narrows: the book's session and resource are for what is stored.
      const { session, resource } = scope
      return { messages: await recallMessages(at, { agent, session, resource }, query, limit) }
    },
  }),
] as const
