// Tells whoever listens that a message has come for an agent of this book: once for each, wherever it came from.
import type { RecordReader } from '../../core/capability/capability.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import { inboxBody } from './inbox-kind.ts'
import { bodyOf } from '../../core/record.ts'

/** As many are remembered as told of; what is older was handed out long ago. */
const toldLimit = 1000

/** Answers what is to be called with each record that changed, after its commit. */
export function createInboxBell(
  { get }: Pick<RecordReader, 'get'>,
  tell: (message: BookEvents['inbox']) => void,
): (id: string, kind: string) => void {
  const told = new Set<string>()
  return (id, kind) => {
    if (kind !== 'inbox' || told.has(id)) return
    const record = get(id)
    const body = record && inboxBody.safeParse(bodyOf(record)).data
    if (!body || body.delivered_to.length > 0) return
    if (told.size >= toldLimit) told.delete(told.values().next().value ?? '')
    told.add(id)
    const { from, to, subject } = body
    tell({ id, from, ...(to === undefined ? {} : { to }), ...(subject === undefined ? {} : { subject }) })
  }
}
