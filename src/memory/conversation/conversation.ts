// The chapter of conversations: messages, the episodes in which they are archived, profiles of users, and cached
// answers; and the verb that forgets all of these for one agent. The verbs `ks:` follow the KS2.2 kernel.
import { defineChapter } from '../../core/capability/chapter.ts'
import { answerCapabilities } from './answer/answer-capability.ts'
import { conversationBase } from './conversation-base.ts'
import { episodeCapabilities } from './episode/episode-capability.ts'
import { messageCapabilities } from './message/message-capability.ts'
import { conversationRecallCapabilities } from './message/recall-capability.ts'
import { profileCapabilities } from './profile/profile-capability.ts'
import { rebuildCapabilities } from './rebuild-capability.ts'
import { z } from 'zod'
import { checkAborted } from '../../core/abort.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import type { TaskContext } from '../../core/capability/context.ts'
import { scopeName } from '../../shape/field.ts'

/** Records forgotten in one transaction. */
const batchSize = 500

/** Forgets all records of `kind` of `agent`, and returns their number. Each round reads what the rounds before left. */
async function forgetAll(kind: string, agent: string, at: TaskContext<'records'>): Promise<number> {
  let forgotten = 0
  const include = { expired: true, superseded: true, outdated: true }
  const { total } = at.records.count({ kind, filters: { agent }, include, by: 'none' })
  for (;;) {
    checkAborted(at.call.signal)
    const { records } = at.records.query({
      kind,
      filters: { agent },
      include,
      orderBy: 'id',
      limit: batchSize,
    })
    if (records.length === 0) return forgotten
    forgotten += await at.records.write(
      ({ records: writer }) => records.filter(({ id }) => writer.forget(id)).length,
      'every-run',
    )
    at.call.progress({ done: Math.min(forgotten, total), total, subject: kind })
  }
}

const agentDataCapabilities = [
  defineCapability({
    id: 'ks:delete_agent_data',
    permission: 'forget',
    methods: ['conversation.forgetAgent'],
    summary:
      'Forgets all messages, episodes, profiles and cached answers of one agent. Safe to repeat after an interruption.',
    input: z.strictObject({ agent: scopeName }),
    output: z.object({
      ok: z.boolean(),
      agent: z.string(),
      /** Number of messages. */
      deletedMemories: z.number(),
      deletedProfiles: z.number(),
      deletedEpisodes: z.number(),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ agent }, at) {
      // First the records made from messages: once its messages are gone, a guest's right to see such a record can't
      // be checked.
      await forgetAll('answer', agent, at)
      const deletedProfiles = await forgetAll('profile', agent, at)
      const deletedEpisodes = await forgetAll('episode', agent, at)
      const deletedMemories = await forgetAll('message', agent, at)
      return { ok: true, agent, deletedMemories, deletedProfiles, deletedEpisodes }
    },
  }),
] as const

export const conversation = defineChapter({
  ...conversationBase,
  capabilities: [
    ...messageCapabilities,
    ...conversationRecallCapabilities,
    ...episodeCapabilities,
    ...profileCapabilities,
    ...answerCapabilities,
    ...agentDataCapabilities,
    ...rebuildCapabilities,
  ],
})
