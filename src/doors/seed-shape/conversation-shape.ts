// Verbs with the names and inputs of a KS2.2 memory server and its embedding server. A kernel uses the server that has
// both `store` and `recall` as its memory. An error becomes the answer `{ error }`. `fieldNames` maps the capability's
// name of a field to the shape's. `inputFields` checks the fields given and passes all others to the capability.
import { z } from 'zod'
import type { DaybookError } from '../../core/errors.ts'
import { inputFields, object, singleCallShape, text, withErrorAnswer } from './shape.ts'

const toErrorObject = ({ message }: DaybookError) => ({ error: message })
const agent_id = text
const history = z.array(object)

export const conversationShapes = withErrorAnswer(toErrorObject, [
  singleCallShape({
    names: ['store', 'ks:store'],
    summary: 'Stores a message in the memory of an agent.',
    capability: 'ks:store',
    input: inputFields({ agent_id, message: z.looseObject({ content: text }) }),
    fieldNames: { agent: 'agent_id' },
  }),
  singleCallShape({
    names: ['recall', 'ks:recall'],
    summary: 'Recalls messages, oldest first; with an empty query the most recent.',
    capability: 'ks:recall',
    input: inputFields({ agent_id, query: text, limit: z.number().int().default(10) }),
    fieldNames: { agent: 'agent_id' },
  }),
  singleCallShape({
    names: ['update_profile', 'ks:update_profile'],
    summary: 'Learns from a conversation what users say about themselves.',
    capability: 'ks:update_profile',
    input: inputFields({ agent_id, history }),
    fieldNames: { agent: 'agent_id' },
    toShapeAnswer: ({ profilesUpdated, ...answer }) => ({ ...answer, profiles_updated: profilesUpdated }),
  }),
  singleCallShape({
    names: ['archive_episode', 'ks:archive_episode'],
    summary: 'Archives a conversation as an episode that can be found.',
    capability: 'ks:archive_episode',
    input: inputFields({ agent_id, history }),
    fieldNames: { agent: 'agent_id' },
    toShapeAnswer: ({ episodeId, ...answer }) => ({ ...answer, episode_id: episodeId }),
  }),
  singleCallShape({
    names: ['embed', 'embed_batch', 'embed:texts'],
    summary: 'Turns texts into vectors.',
    capability: 'embed:texts',
    input: inputFields({ texts: z.array(text) }),
  }),
])
