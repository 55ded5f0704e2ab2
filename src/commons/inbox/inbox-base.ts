// The chapter of messages between agents without its verbs: its kind, and an event for each new message.
// Invariant: a message is announced when it arrives, once in a run of the engine (the feed remembers the last
// 1000). A start announces nothing by itself.
import { type Service, type ServiceParts, defineChapterBase } from '../../core/capability/chapter.ts'
import { createRecordFeed } from '../../core/capability/record-feed.ts'
import { defined } from '../../core/defined.ts'
import { bodyOf } from '../../core/record.ts'
import { inboxBody, inboxKind } from './inbox-kind.ts'

const inboxFeed = (deps: ServiceParts): Service =>
  createRecordFeed(deps, {
    name: 'inbox feed',
    kind: 'inbox',
    read(record) {
      const body = inboxBody.safeParse(bodyOf(record)).data
      if (!body || body.deliveredTo.length > 0) return undefined
      const { from, to, subject } = body
      const message = { id: record.id, from, ...defined({ to, subject }) }
      // The feed announces each state of a record once.
      return { state: 'arrived', announce: () => deps.tell('inbox', message) }
    },
  })

export const inboxBase = defineChapterBase({
  name: 'inbox',
  kinds: [inboxKind],
  services: (deps) => [inboxFeed(deps)],
})
