// Seed shapes of a KS2.2 memory server and its embedding server, with bare names. A kernel uses the server that has
// both `store` and `recall` as its memory. An error becomes the answer `{ error }`.
import { z } from 'zod'
import type { DaybookError } from '../../core/errors.ts'
import { fields, object, oneCall, text, withFailure } from './shape.ts'

const failure = ({ message }: DaybookError) => ({ error: message })
const agent_id = text
const history = z.array(object)

export const conversationShapes = withFailure(failure, [
  oneCall({
    names: ['store', 'ks:store'],
    summary: 'Stores a message in the memory of an agent.',
    capability: 'ks:store',
    input: fields({ agent_id, message: z.looseObject({ content: text }) }),
    fields: { agent: 'agent_id' },
  }),
  oneCall({
    names: ['recall', 'ks:recall'],
    summary: 'Recalls messages, oldest first; with an empty query the most recent.',
    capability: 'ks:recall',
    input: fields({ agent_id, query: text, limit: z.number().int().default(10) }),
    fields: { agent: 'agent_id' },
  }),
  oneCall({
    names: ['update_profile', 'ks:update_profile'],
    summary: 'Learns from a conversation what users say about themselves.',
    capability: 'ks:update_profile',
    input: fields({ agent_id, history }),
    fields: { agent: 'agent_id' },
    from: ({ profilesUpdated, ...answer }) => ({ ...answer, profiles_updated: profilesUpdated }),
  }),
  oneCall({
    names: ['archive_episode', 'ks:archive_episode'],
    summary: 'Archives a conversation as an episode that can be found.',
    capability: 'ks:archive_episode',
    input: fields({ agent_id, history }),
    fields: { agent: 'agent_id' },
    from: ({ episodeId, ...answer }) => ({ ...answer, episode_id: episodeId }),
  }),
  oneCall({
    names: ['embed', 'embed_batch', 'embed:texts'],
    summary: 'Turns texts into vectors.',
    capability: 'embed:texts',
    input: fields({ texts: z.array(text) }),
  }),
])
