// The chapter of messages between agents.
import { defineChapter } from '../../core/capability/chapter.ts'
import { inboxCapabilities } from './inbox-capability.ts'
import { createInboxFeed } from './inbox-feed.ts'
import { inboxKind } from './inbox-kind.ts'

export const inbox = defineChapter({
  name: 'inbox',
  capabilities: inboxCapabilities,
  kinds: [inboxKind],
  services: (parts) => [createInboxFeed(parts)],
})
