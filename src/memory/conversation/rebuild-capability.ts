// The verb that rebuilds an episode or a profile after one of its messages was forgotten or sealed.
// Invariant: the result is made from the remaining messages alone, so the verb may run twice, and on two devices.
import { defineCapability } from '../../core/capability/capability.ts'
import type { TaskContext, WriteContext } from '../../core/capability/context.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { rebuildInput, rebuildOutput } from '../../shape/rebuild.ts'
import { toHistoryLine, describeEpisode } from './episode/archive-episode.ts'
import type { Episode } from './episode/episode-kind.ts'
import { readableMessages } from './message/message-kind.ts'
import type { Profile } from './profile/profile-schema.ts'
import { remainingFacts } from './profile/learned-fact.ts'
import { type Facts, linkMessages, profileText } from './profile/profile-fact.ts'

/** Body of the rebuilt episode; undefined if no message with words remains. */
async function rebuildEpisode(
  at: TaskContext<'records' | 'recall'>,
  { id, agent, messages: sources = [] }: Episode,
): Promise<object | undefined> {
  // Messages that the episode named by key and that arrived since.
  const foundMessages = at.records.found(id).map((message) => message.id)
  const messages = readableMessages(at, [...sources, ...foundMessages])
  const description = await describeEpisode(at, agent, messages.map(toHistoryLine))
  if (description.message_count === 0) return undefined
  const { degraded: _why, ...body } = description
  return { ...body, messages: messages.map(({ id }) => id) }
}

/**
 * Body of the rebuilt profile; undefined without facts. Call it in the transaction that writes the body, so that
 * facts learned meanwhile are preserved.
 */
function rebuildProfile(records: WriteContext<'records'>['records'], id: string): object | undefined {
  const profile = records.get(id) as Profile | undefined
  // Messages that arrived for the keys of lines, each with its key, and were not forgotten since.
  const stillStored = records.found(id).filter((source) => records.get(source.id) !== undefined)
  const linkedFacts = [...Map.groupBy(stillStored, ({ key }) => key)].reduce<Facts>(
    (facts, [key, sources]) =>
      linkMessages(
        facts,
        key,
        sources.map((source) => source.id),
      ),
    profile?.facts ?? {},
  )
  const facts = remainingFacts({ records }, linkedFacts, records.forgottenKeys(id))
  if (!profile || Object.keys(facts).length === 0) return undefined
  return { user_id: profile.user_id, content: profileText(facts), facts }
}

export const rebuildCapabilities = [
  defineCapability({
    id: 'ks:rebuild',
    // It decides nothing, so agents may call it; guests may not.
    forAgents: true,
    methods: ['conversation.rebuild'],
    summary:
      'Rebuilds an episode or a profile after one of its messages is gone, or forgets it without messages. Runs by itself.',
    input: rebuildInput,
    output: rebuildOutput,
    effect: 'task',
    repeatable: true,
    // recall: its language model.
    uses: ['records', 'recall'],
    async run({ id }, at) {
      const derived = at.records.get(id)
      if (derived?.kind !== 'episode' && derived?.kind !== 'profile') return { id, result: 'absent' as const }
      // A default query skips a record that waits for a rebuild.
      const { records: current } = at.records.query({ kind: derived.kind, filters: { id }, limit: 1 })
      if (current.length > 0) return { id, result: 'current' as const }
      const episode =
        derived.kind === 'episode' ? await rebuildEpisode(at, derived as unknown as Episode) : undefined
      const isRebuilt = await at.records.write(({ records }) => {
        const body = derived.kind === 'episode' ? episode : rebuildProfile(records, id)
        if (body) records.put({ kind: derived.kind, id, body: body as JsonObject })
        else records.forget(id)
        return body !== undefined
      })
      return { id, result: isRebuilt ? ('rebuilt' as const) : ('forgotten' as const) }
    },
  }),
] as const
