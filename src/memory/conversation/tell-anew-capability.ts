// The verb that tells an episode or a profile anew when a message that it was made from is forgotten or sealed.
// Invariant: what it writes is made from nothing but the messages that are left, so it may be run twice, and on two devices.
import { defineCapability } from '../../core/capability/capability.ts'
import type { TaskContext, WriteContext } from '../../core/capability/context.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { tellAnewInput, tellAnewOutput } from '../../shape/tell-anew.ts'
import { lineOf, tellEpisode } from './episode/archive-episode.ts'
import type { Episode } from './episode/episode-kind.ts'
import { messagesLeft } from './message/messages-left.ts'
import { factsLeft } from './profile/facts-left.ts'
import { factsNaming, type Facts, writeProfile } from './profile/profile-fact.ts'
import type { Profile } from './profile/profile-schema.ts'

/** Undefined when nothing is left to tell of. */
async function episodeAnew(
  at: TaskContext<'records' | 'recall'>,
  { id, messages = [] }: Episode,
): Promise<object | undefined> {
  const found = at.records.found(id).map((one) => one.id)
  const left = messagesLeft(at, [...messages, ...found])
  const told = await tellEpisode(at, left.map(lineOf))
  if (told.message_count === 0) return undefined
  const { degraded: _why, ...body } = told
  return { ...body, messages: left.map(({ id }) => id) }
}

/** Inside the transaction that writes it: what was learned meanwhile stays. */
function profileAnew(records: WriteContext<'records'>['records'], id: string): object | undefined {
  const profile = records.get(id) as Profile | undefined
  const here = records.found(id).filter((one) => records.get(one.id) !== undefined)
  const named = [...Map.groupBy(here, ({ key }) => key)].reduce<Facts>(
    (known, [key, all]) =>
      factsNaming(
        known,
        key,
        all.map((one) => one.id),
      ),
    profile?.facts ?? {},
  )
  const facts = factsLeft({ records }, named, records.goneKeys(id))
  if (!profile || Object.keys(facts).length === 0) return undefined
  return { user_id: profile.user_id, content: writeProfile(facts), facts }
}

export const tellAnewCapabilities = [
  defineCapability({
    id: 'ks:tell_anew',
    forAgents: true,
    methods: ['conversation.tellAnew'],
    summary:
      'Tells an episode or a profile anew when a message that it was made from is gone, or forgets it when none is left. Runs by itself.',
    input: tellAnewInput,
    output: tellAnewOutput,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'recall'],
    async run({ id }, at) {
      const found = at.records.get(id)
      if (found?.kind !== 'episode' && found?.kind !== 'profile') return { id, result: 'absent' as const }
      const { records: current } = at.records.query({ kind: found.kind, filters: { id }, limit: 1 })
      if (current.length > 0) return { id, result: 'current' as const }
      const episode =
        found.kind === 'episode' ? await episodeAnew(at, found as unknown as Episode) : undefined
      const isTold = await at.records.write(({ records }) => {
        const body = found.kind === 'episode' ? episode : profileAnew(records, id)
        if (body) records.put({ kind: found.kind, id, body: body as JsonObject })
        else records.forget(id)
        return body !== undefined
      })
      return { id, result: isTold ? ('told' as const) : ('forgotten' as const) }
    },
  }),
] as const
