// The chapter of messages between agents without its verbs: the kind, and events for new messages.
// Invariant: a message causes one `inbox` event in a run of the engine.
import { type Service, type ServiceParts, defineChapterBase } from '../../core/capability/chapter.ts'
import { isDaybookError } from '../../core/errors.ts'
import { defined } from '../../core/defined.ts'
import { bodyOf } from '../../core/record.ts'
import { inboxBody, inboxKind } from './inbox-kind.ts'

/** Most announced ids in memory; the oldest is dropped first. */
const announcedLimit = 1000

/** Emits an `inbox` event when a message arrives, from a call or by sync. */
function createInboxFeed({ records, tell }: ServiceParts): Service {
  const announced = new Set<string>()
  /** The record; undefined if it is sealed and can't be read here: then no event is sent. */
  const readable = (id: string) => {
    try {
      return records.get(id)
    } catch (error) {
      if (isDaybookError(error, 'locked')) return undefined
      throw error
    }
  }
  return {
    name: 'inbox feed',
    changed(id, kind) {
      if (kind !== 'inbox' || announced.has(id)) return
      const record = readable(id)
      const body = record && inboxBody.safeParse(bodyOf(record)).data
      if (!body || body.deliveredTo.length > 0) return
      if (announced.size >= announcedLimit) announced.delete(announced.values().next().value ?? '')
      announced.add(id)
      const { from, to, subject } = body
      tell('inbox', { id, from, ...defined({ to, subject }) })
    },
  }
}

export const inboxBase = defineChapterBase({
  name: 'inbox',
  kinds: [inboxKind],
  services: (parts) => [createInboxFeed(parts)],
})
