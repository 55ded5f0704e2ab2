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
import { DaybookError } from '../../core/errors.ts'
import { scopeName } from '../../shape/field.ts'

/** Records forgotten in one transaction. */
const batchSize = 500

/** Characters of the bodies that are read at once. */
const pageLength = 1_000_000

/** Ids of the sealed records of `kind` of `agent` that can't be read here; for a guest, none. */
function unreadIds(kind: string, agent: string, { records, call }: TaskContext<'records'>): string[] {
  if (records.unread({ kinds: [kind], agent }) === 0) return []
  const snapshot = records.snapshot({ kinds: [kind], includeUnreadable: true })
  const ids: string[] = []
  for (let next: number | undefined = 0; next !== undefined;) {
    checkAborted(call.signal)
    const page: ReturnType<typeof snapshot.read> = snapshot.read(kind, next, pageLength)
    ids.push(...page.records.filter((record) => record.agent === agent).map(({ id }) => id))
    next = page.next
  }
  return ids
}

/** Forgets all records of `kind` of `agent`, and returns their number. Each round reads what the rounds before left. */
async function forgetAll(kind: string, agent: string, at: TaskContext<'records'>): Promise<number> {
  let forgotten = 0
  const forget = async (ids: readonly string[]) => {
    forgotten += await at.records.write(
      ({ records }) => ids.filter((id) => records.forget(id)).length,
      'every-run',
    )
    at.call.progress({ done: Math.min(forgotten, total), total, subject: kind })
  }
  const include = { expired: true, superseded: true, outdated: true }
  const count = at.records.count({ kind, filters: { agent }, include, by: 'none' })
  const total = count.total + (count.sealed ?? 0)
  for (;;) {
    checkAborted(at.call.signal)
    const { records } = at.records.query({
      kind,
      filters: { agent },
      include,
      orderBy: 'id',
      limit: batchSize,
    })
    if (records.length === 0) break
    await forget(records.map(({ id }) => id))
  }
  // No key is needed to forget a sealed record.
  for (let before = -1; before < forgotten;) {
    before = forgotten
    const ids = unreadIds(kind, agent, at)
    for (let i = 0; i < ids.length; i += batchSize) await forget(ids.slice(i, i + batchSize))
  }
  const sealed = at.records.unread({ kinds: [kind], agent })
  if (sealed === 0) return forgotten
  throw new DaybookError('locked', `${sealed} sealed records of agent \`${agent}\` can't be read here.`, {
    details: { sealed },
  })
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
