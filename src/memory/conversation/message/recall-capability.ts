// The verb that recalls messages, episodes and profiles for an agent before it answers, oldest first.
// Invariant: a stage only fills the places that the earlier stages left free. No result is repeated, except that a whole
// answer has each event that recall has, also one in the same words as another.
import { z } from 'zod'
import { conversationScope, storageScope } from './conversation-scope.ts'
import { source, type Source } from '../../../shape/source.ts'
import { recallNote } from '../../../core/capability/activity.ts'
import { hitLimit, usualLimits, type Want, wants } from '../../../core/capability/port/recall-port.ts'
import type { ReadContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { Stored } from '../../../core/record.ts'
import { rulesForPrompt } from '../../../core/standing-rule.ts'
import { limit } from '../../../shape/page.ts'
import { packedRules } from '../../../shape/packed-rules.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

/** A message, an episode or a profile, in the form of a message. */
interface RecalledMessage {
  readonly id: string
  readonly content: string
  readonly source: Source | { readonly System: string }
  readonly timestamp: string
}

interface RecallScope {
  readonly agent: string
  readonly session?: string | undefined
  readonly resource?: string | undefined
}

interface Recalled {
  readonly messages: RecalledMessage[]
  readonly want: Want
  readonly complete?: number | undefined
}

/** Most profiles in a result. */
const maxProfiles = 3
/** Most recent messages that are searched literally. */
const maxRecentMessages = 500

/**
 * Recalls at most `limit` messages for `query`, oldest first; by default as many as recall returns for `want`. Stages: recall over messages and episodes (full text,
 * and vectors if available); profiles; recent messages that contain the question literally. With an empty query:
 * the most recent messages.
 */
async function recallMessages(
  at: ReadContext<'records' | 'recall'>,
  { agent, session, resource }: RecallScope,
  query: string,
  { want, limit: most }: { readonly want: Want | undefined; readonly limit: number | undefined },
): Promise<Recalled> {
  const scope = {
    agent,
    ...defined({ session, resource }),
  }
  const recent = (count: number) =>
    at.records.query({ kind: 'message', filters: scope, orderBy: '-timestamp', limit: count }).records
  const text = query.trim()
  if (text === '')
    return { messages: sortOldestFirst(recent(most ?? usualLimits.best).map(toRecalled)), want: 'best' }
  const recallQuery = { ...scope, text, want, kinds: ['message', 'episode'], limit: most }
  const { hits, want: sort, complete } = await at.recall.ask(recallQuery)
  const isWhole = sort !== 'best'
  const limit = most ?? usualLimits[isWhole ? 'whole' : 'best']
  const messages: DatedMessage[] = []
  const contents = new Set<string>()
  const results: { readonly id: string; readonly kind: string; readonly score: number }[] = []
  /** Adds a result while there is a free place. `score`: 0 for a result of a later stage. */
  const addResult = (record: Stored<JsonObject>, score = 0, mayRepeat = false) => {
    const message = toRecalled(record)
    const key = JSON.stringify([message.source, message.content])
    if (messages.length === limit || (contents.has(key) && !mayRepeat)) return
    contents.add(key)
    messages.push(message)
    results.push({ id: record.id, kind: record.kind, score })
  }
  for (const { record, score } of hits) addResult(record, score, isWhole)
  if (messages.length < limit) {
    // Profiles that have a text.
    const latest = { kind: 'profile', filters: { agent, content: { gt: '' } }, orderBy: '-updated_at' }
    for (const record of at.records.query({ ...latest, limit: maxProfiles }).records) addResult(record)
  }
  if (messages.length < limit)
    for (const record of recent(maxRecentMessages)) if (containsText(record, text)) addResult(record)
  // For the activity of this device, which shows recalls and their hits.
  at.recall.note(recallNote({ ...recallQuery, limit: Math.min(limit, hitLimit) }, results))
  return { messages: sortOldestFirst(messages), want: sort, ...defined({ complete }) }
}

/** `created`: `created_at` of the record, which orders results of the same time. */
type DatedMessage = RecalledMessage & { readonly created: string }

function sortOldestFirst(messages: readonly DatedMessage[]): RecalledMessage[] {
  return messages
    .toSorted((a, b) => compare(a.timestamp, b.timestamp) || compare(a.created, b.created))
    .map(({ id, content, source, timestamp }) => ({ id, content, source, timestamp }))
}

function containsText({ content }: Stored<JsonObject>, text: string): boolean {
  return typeof content === 'string' && content.toLowerCase().includes(text.toLowerCase())
}

function toRecalled(record: Stored<JsonObject>): DatedMessage {
  const textField = (path: string) => (typeof record[path] === 'string' ? record[path] : '')
  const created = record.created_at
  switch (record.kind) {
    case 'episode': {
      const timestamp = textField('end_time') || created
      const content = `[Episode] ${textField('summary')}`
      return { id: record.id, content, source: { System: 'episode' }, timestamp, created }
    }
    case 'profile': {
      const content = `[Profile] ${textField('content')}`
      return { id: record.id, content, source: { System: 'profile' }, timestamp: record.updated_at, created }
    }
    default: {
      const source = (record['source'] ?? {}) as Source
      return {
        id: textField('msg_id') || record.id,
        content: textField('content'),
        source,
        timestamp: textField('timestamp'),
        created,
      }
    }
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export const conversationRecallCapabilities = [
  readVerb({
    id: 'ks:recall',
    method: 'conversation.recall',
    summary: "Recalls an agent's messages for a question, oldest first; without a question, the most recent.",
    input: z.strictObject({
      ...conversationScope,
      /** Words of a user. Empty: recall the most recent messages. */
      query: z.string().max(10_000).default(''),
      /** Default: by the words of the query; see `recall`. */
      want: z.enum(wants).optional(),
      /** Default: 10, for a whole answer 40. */
      limit: limit(usualLimits.best, 500).unwrap().optional(),
    }),
    output: z.object({
      messages: z.array(
        z.object({
          /** The sender's name for the message, or the id of the record. */
          id: z.string(),
          /** Of an episode or a profile: its text after `[Episode] ` or `[Profile] `. */
          content: z.string(),
          source: z.looseObject({ ...source.shape, System: z.string().optional() }),
          timestamp: z.string(),
        }),
      ),
      want: z.enum(wants),
      /** As in `recall`, of the messages and episodes. */
      complete: z.number().optional(),
      /** The standing rules in force, for the prompt, as in `context`; no message contains them. */
      rules: packedRules,
    }),
    uses: ['records', 'recall'],
    async run({ query, want, limit, ...scope }, at) {
      const { agent } = storageScope(scope, at.call)
      // The session and resource of the call don't narrow a recall; they apply to stored messages only.
      const { session, resource } = scope
      const recalled = await recallMessages(at, { agent, session, resource }, query, { want, limit })
      return { ...recalled, ...defined({ rules: rulesForPrompt(at, { lane: scope }) }) }
    },
  }),
] as const
