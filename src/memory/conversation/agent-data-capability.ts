// The verb that forgets everything an agent remembers of its conversations.
import { z } from 'zod'
import { checkAborted } from '../../core/abort.ts'
import { defineCapability } from '../../core/capability/capability.ts'
import type { TaskContext } from '../../core/capability/context.ts'
import { scopeName } from '../../shape/scope-name.ts'

const batch = 500

async function forgetAll(kind: string, agent: string, at: TaskContext<'records'>): Promise<number> {
  let forgotten = 0
  const include = { expired: true, superseded: true, outdated: true }
  const { total } = at.records.count({ kind, filters: { agent }, include, by: 'none' })
  for (;;) {
    checkAborted(at.call.signal)
    const { records } = at.records.query({ kind, filters: { agent }, include, orderBy: 'id', limit: batch })
    if (records.length === 0) return forgotten
    forgotten += await at.records.write(
      ({ records: writer }) => records.filter(({ id }) => writer.forget(id)).length,
    )
    at.call.progress({ done: Math.min(forgotten, total), total, what: kind })
  }
}

export const agentDataCapabilities = [
  defineCapability({
    id: 'ks:delete_agent_data',
    permission: 'forget',
    methods: ['conversation.forgetAgent'],
    summary:
      'Forgets all messages, episodes, profiles and kept answers of one agent. What was begun can be begun again.',
    input: z.strictObject({ agent_id: scopeName }),
    output: z.object({
      ok: z.boolean(),
      agent_id: z.string(),
      deleted_memories: z.number(),
      deleted_profiles: z.number(),
      deleted_episodes: z.number(),
    }),
    effect: 'task',
    repeatable: true,
    uses: ['records'],
    async run({ agent_id }, at) {
      // What was made of messages goes first: without them nobody can tell whether a guest may see it.
      await forgetAll('answer', agent_id, at)
      const deleted_profiles = await forgetAll('profile', agent_id, at)
      const deleted_episodes = await forgetAll('episode', agent_id, at)
      const deleted_memories = await forgetAll('message', agent_id, at)
      return { ok: true, agent_id, deleted_memories, deleted_profiles, deleted_episodes }
    },
  }),
] as const
