// Tells whoever listens that a message has come for an agent of this book: once for each, wherever it came from.
import type { Service, ServiceParts } from '../../core/capability/service.ts'
import { isDaybookError } from '../../core/errors.ts'
import { bodyOf } from '../../core/record.ts'
import { inboxBody } from './inbox-kind.ts'

/** As many are remembered as told of; what is older was handed out long ago. */
const announcedLimit = 1000

export function createInboxFeed({ records, tell }: ServiceParts): Service {
  const announced = new Set<string>()
  /** Of what is sealed, where nobody can read it, nobody is told. */
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
      if (!body || body.delivered_to.length > 0) return
      if (announced.size >= announcedLimit) announced.delete(announced.values().next().value ?? '')
      announced.add(id)
      const { from, to, subject } = body
      tell('inbox', {
        id,
        from,
        ...(to === undefined ? {} : { to }),
        ...(subject === undefined ? {} : { subject }),
      })
    },
  }
}
