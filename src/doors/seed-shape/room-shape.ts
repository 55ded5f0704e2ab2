// The tools of Katra's meeting room. Its other tools stand in katra-shape.ts.
import { z } from 'zod'
import { katraFailure as failure } from './katra-error.ts'
import { given, type Given, oneCall, type SeedShape, text } from './shape.ts'

export const roomShapes: readonly SeedShape[] = [
  oneCall({
    names: ['katra_say'],
    summary: 'Says something to everyone in the meeting room.',
    capability: 'room:say',
    input: given({ message: text }),
    fields: { text: 'message' },
    to: ({ message, ...rest }) => ({ ...rest, text: message }),
    from: ({ number }) => ({ message_number: number }),
    failure,
  }),
  oneCall({
    names: ['katra_hear'],
    summary: 'The next message of somebody else after the last one heard; null when there is none.',
    capability: 'room:hear',
    input: given({ last_heard: z.number().int().default(0) }),
    fields: { last: 'last_heard' },
    to: ({ last_heard, ...rest }) => ({ ...rest, last: last_heard }),
    from({ message, messages_lost }) {
      if (message === null) return { message_number: null, messages_lost }
      const { number, name, at, text: content } = message as Given
      return { message_number: number, speaker_name: name, timestamp: at, content, messages_lost }
    },
    failure,
  }),
  oneCall({
    names: ['katra_who_is_here'],
    summary: 'Lists who is in the meeting room.',
    capability: 'room:who_is_here',
    input: given({}),
    from({ participants }) {
      const cis = (participants as readonly Given[]).map(({ id, ...who }) => ({ ci_id: id, ...who }))
      return { cis, count: cis.length }
    },
    failure,
  }),
]
