// What an agent should have in mind before it answers: found by a cascade, given in the order of time.
// Invariant: each stage only fills what the ones before it left free, and nothing comes twice.
import { recallNote } from '../../../core/capability/activity.ts'
import { hitLimit } from '../../../core/capability/port/recall-port.ts'
import type { ReadContext } from '../../../core/capability/context.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Stored } from '../../../core/record.ts'
import type { Source } from '../../../shape/source.ts'

export interface Recalled {
  readonly id: string
  readonly content: string
  readonly source: Source | { readonly System: string }
  readonly timestamp: string
}

export interface RecallScope {
  readonly agent: string
  readonly session?: string | undefined
  readonly resource?: string | undefined
}

/** At most this many profiles are put in. */
const profileLimit = 3
/** How far back the words of the question are looked for as they stand. */
const recentLimit = 500

/**
 * Recalls at most `limit` messages for `query`, oldest first. The stages: recall by meaning over messages and episodes
 * (vectors where there are any, and full text), profiles, recent messages in which the question stands literally.
 * Without a question: the most recent messages.
 */
export async function recallMessages(
  at: ReadContext<'records' | 'recall'>,
  { agent, session, resource }: RecallScope,
  query: string,
  limit: number,
): Promise<Recalled[]> {
  const scope = {
    agent,
    ...(session === undefined ? {} : { session }),
    ...(resource === undefined ? {} : { resource }),
  }
  const recent = (count: number) =>
    at.records.query({ kind: 'message', filters: scope, orderBy: '-timestamp', limit: count }).records
  const text = query.trim()
  if (text === '') return inOrder(recent(limit).map(toRecalled))
  const found = new Map<string, Dated>()
  const lent: { readonly id: string; readonly kind: string; readonly score: number }[] = []
  const take = (record: Stored<JsonObject>, score = 0) => {
    const one = toRecalled(record)
    const key = JSON.stringify([one.source, one.content])
    if (found.size === limit || found.has(key)) return
    found.set(key, one)
    lent.push({ id: record.id, kind: record.kind, score })
  }
  const asked = { ...scope, text, kinds: ['message', 'episode'], limit }
  const { hits } = await at.recall.ask(asked)
  for (const { record, score } of hits) take(record, score)
  if (found.size < limit) {
    const latest = { kind: 'profile', filters: { agent, content: { gt: '' } }, orderBy: '-updated_at' }
    for (const record of at.records.query({ ...latest, limit: profileLimit }).records) take(record)
  }
  if (found.size < limit)
    for (const record of recent(recentLimit)) if (saysLiterally(record, text)) take(record)
  at.recall.note(recallNote({ ...asked, limit: Math.min(limit, hitLimit) }, lent))
  return inOrder([...found.values()])
}

type Dated = Recalled & { readonly created: string }

function inOrder(found: readonly Dated[]): Recalled[] {
  return found
    .toSorted((a, b) => compare(a.timestamp, b.timestamp) || compare(a.created, b.created))
    .map(({ id, content, source, timestamp }) => ({ id, content, source, timestamp }))
}

function saysLiterally({ content }: Stored<JsonObject>, text: string): boolean {
  return typeof content === 'string' && content.toLowerCase().includes(text.toLowerCase())
}

function toRecalled(record: Stored<JsonObject>): Dated {
  const text = (path: string) => (typeof record[path] === 'string' ? record[path] : '')
  const created = record.created_at
  switch (record.kind) {
    case 'episode': {
      const timestamp = text('end_time') || created
      const content = `[Episode] ${text('summary')}`
      return { id: record.id, content, source: { System: 'episode' }, timestamp, created }
    }
    case 'profile': {
      const content = `[Profile] ${text('content')}`
      return { id: record.id, content, source: { System: 'profile' }, timestamp: record.updated_at, created }
    }
    default: {
      const source = (record['source'] ?? {}) as Source
      return {
        id: text('msg_id') || record.id,
        content: text('content'),
        source,
        timestamp: text('timestamp'),
        created,
      }
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
