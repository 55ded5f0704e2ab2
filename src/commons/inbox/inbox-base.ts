// The chapter of messages between agents without its verbs: the kind, and events for new messages.
// Invariant: a message causes one `inbox` event in a run of the engine.
import { type Service, type ServiceParts, defineChapterBase } from '../../core/capability/chapter.ts'
import { createRecordFeed } from '../../core/capability/record-feed.ts'
import { defined } from '../../core/defined.ts'
import { bodyOf } from '../../core/record.ts'
import { inboxBody, inboxKind } from './inbox-kind.ts'

const inboxFeed = (parts: ServiceParts): Service =>
  createRecordFeed(parts, {
    name: 'inbox feed',
    kind: 'inbox',
    read(record) {
      const body = inboxBody.safeParse(bodyOf(record)).data
      if (!body || body.deliveredTo.length > 0) return undefined
      const { from, to, subject } = body
      const message = { id: record.id, from, ...defined({ to, subject }) }
      return { state: 'arrived', announce: () => parts.tell('inbox', message) }
    },
  })

export const inboxBase = defineChapterBase({
  name: 'inbox',
  kinds: [inboxKind],
  services: (parts) => [inboxFeed(parts)],
})
