// The kind `message`: one thing said, by a person or an agent. Never changed once it is stored, but that it may be archived.
import { type Kind, whenField } from '../../../core/kind.ts'
import { speakerRole } from '../../../shape/source.ts'
import { messageKeys } from './line-message.ts'
import { messageBody, type MessageBody } from './message-schema.ts'

export const messageKind: Kind<'message', MessageBody> = {
  name: 'message',
  idPrefix: 'msg-',
  summary: 'One message of a conversation: who said what, when.',
  version: 1,
  schema: messageBody,
  // Day and speaker make it findable beside its words; the speaker's type would only be noise.
  text: [whenField, 'source.name', 'source.id', 'content'],
  facets: { happened_at: 'timestamp', actor: 'source.id', name: 'msg_id' },
  saidBy: (body) => speakerRole((body as Partial<MessageBody>).source),
  awaitedAs: messageKeys,
  policy: 'last_write_wins',
  // A consolidation of days puts it out of recall, and keeps it.
  expires: 'archived_at',
}
