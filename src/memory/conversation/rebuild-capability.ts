// The verb that rebuilds an episode or a profile after one of its messages was forgotten or sealed.
// Invariant: the result is made from the remaining messages alone, so the verb may run twice, and on two devices.
import { defineCapability } from '../../core/capability/capability.ts'
import type { TaskContext, WriteContext } from '../../core/capability/context.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { rebuildInput, rebuildOutput } from '../../shape/rebuild.ts'
import { lineOf, describeEpisode } from './episode/archive-episode.ts'
import type { Episode } from './episode/episode-kind.ts'
import { messagesLeft } from './message/message-kind.ts'
import type { Profile } from './profile/profile-schema.ts'
import { type Facts, factsLeft, factsNaming, writeProfile } from './profile/profile-fact.ts'

/** Body of the rebuilt episode; undefined if no message with words remains. */
async function rebuildEpisode(
  at: TaskContext<'records' | 'recall'>,
  { id, messages: sources = [] }: Episode,
): Promise<object | undefined> {
  const found = at.records.found(id).map((one) => one.id)
  const messages = messagesLeft(at, [...sources, ...found])
  const description = await describeEpisode(at, messages.map(lineOf))
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
  const here = records.found(id).filter((one) => records.get(one.id) !== undefined)
  const named = [...Map.groupBy(here, ({ key }) => key)].reduce<Facts>(
    (facts, [key, all]) =>
      factsNaming(
        facts,
        key,
        all.map((one) => one.id),
      ),
    profile?.facts ?? {},
  )
  const facts = factsLeft({ records }, named, records.goneKeys(id))
  if (!profile || Object.keys(facts).length === 0) return undefined
  return { user_id: profile.user_id, content: writeProfile(facts), facts }
}

export const rebuildCapabilities = [
  defineCapability({
    id: 'ks:tell_anew',
    forAgents: true,
    methods: ['conversation.tellAnew'],
    summary:
      'Rebuilds an episode or a profile after one of its messages is gone, or forgets it without messages. Runs by itself.',
    input: rebuildInput,
    output: rebuildOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ id }, at) {
      const found = at.records.get(id)
      if (found?.kind !== 'episode' && found?.kind !== 'profile') return { id, result: 'absent' as const }
      const { records: current } = at.records.query({ kind: found.kind, filters: { id }, limit: 1 })
      if (current.length > 0) return { id, result: 'current' as const }
      const episode =
        found.kind === 'episode' ? await rebuildEpisode(at, found as unknown as Episode) : undefined
      const isRebuilt = await at.records.write(({ records }) => {
        const body = found.kind === 'episode' ? episode : rebuildProfile(records, id)
        if (body) records.put({ kind: found.kind, id, body: body as JsonObject })
        else records.forget(id)
        return body !== undefined
      })
      return { id, result: isRebuilt ? ('told' as const) : ('forgotten' as const) }
    },
  }),
] as const
