// What an importer makes of a file: records that are not in the book yet, in order, under ids that the same file gives again.
import { namedMessageId, saidMessageId } from '../../core/text/message-id.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { sameJson } from '../../core/json/same-json.ts'
import type { PutRequest } from '../../core/put-request.ts'
import type { Scope } from '../../core/record.ts'

export interface Draft {
  readonly kind: string
  readonly id: string
  readonly body: JsonObject
  readonly scope: Partial<Scope>
  /** When it was made and changed where it comes from; default now. */
  readonly times?: PutRequest['times']
}

export interface Drafts {
  /** Of runs and chats: the session that they share. */
  readonly session?: string
  readonly records: readonly Draft[]
  /** What the file has and no record can hold: how many of each, by what it is. */
  readonly leftOut?: LeftOut
}

export type LeftOut = ReadonlyMap<string, number>

/** Counts what is left out, beside what was counted `before`. */
export function createLeftOut(before?: LeftOut): { readonly counts: LeftOut; add(what: string): void } {
  const counts = new Map<string, number>(before)
  return { counts, add: (what) => void counts.set(what, (counts.get(what) ?? 0) + 1) }
}

/**
 * Each id once, the first draft under it. Counts in `leftOut` those after it that say something else, as where the ids of two
 * programs came into one file.
 */
export function distinctDrafts({ records, leftOut, ...rest }: Drafts): Drafts {
  const left = createLeftOut(leftOut)
  const first = new Map<string, Draft>()
  for (const draft of records) {
    const before = first.get(draft.id)
    if (!before) first.set(draft.id, draft)
    else if (!sameJson(asJson(before), asJson(draft))) left.add('repeated_id')
  }
  return { ...rest, records: [...first.values()], leftOut: left.counts }
}

const asJson = ({ kind, body, scope }: Draft): JsonObject => ({ kind, body, scope: { ...scope } })

export interface SourceFile {
  readonly name: string
  readonly text: string
  /** SHA-256 of the text, for ids where the file has none. */
  readonly hash: string
  /** One that holds less than it says is taken for what it holds. */
  readonly allowIncomplete?: boolean | undefined
  /** When the file was written, in milliseconds since 1970 UTC; for files that carry no times. */
  readonly recordedMs: number
}

/** Longest message that a record takes; longer ones come in parts that say so. */
const contentLimit = 16_000

/** One thing said, as one record or as several. Nothing for an empty one. */
export function messageDrafts(
  message: { id: string; text: string; role: string; at: string; name?: string; metadata: JsonObject },
  session: string,
): Draft[] {
  const { id, text, role, at, name, metadata } = message
  const type = role === 'assistant' ? 'Agent' : role === 'user' ? 'User' : 'System'
  const source = { type, ...(name === undefined ? {} : { name }) }
  return saidDrafts({ id, text, source, at, metadata, scope: { session } })
}

/** A message that another memory kept under a name: its id is what it would have been, had it been stored here. */
export function keptMessageDrafts({
  msgId,
  agent,
  resource,
  text,
  source,
  at,
  metadata,
}: KeptMessage): Draft[] {
  const id =
    msgId === ''
      ? saidMessageId({ agent }, { said: at, source, content: text })
      : namedMessageId(agent, msgId)
  const scope = { ...(agent === '' ? {} : { agent }), ...(resource === '' ? {} : { resource }) }
  return saidDrafts({ id, msgId, text, source, at, metadata, scope })
}

export interface KeptMessage {
  readonly msgId: string
  readonly agent: string
  readonly resource: string
  readonly text: string
  readonly source: JsonObject
  readonly at: string
  readonly metadata: JsonObject
}

interface Said {
  readonly id: string
  readonly msgId?: string
  readonly text: string
  readonly source: JsonObject
  readonly at: string
  readonly metadata: JsonObject
  readonly scope: Partial<Scope>
}

function saidDrafts({ id, msgId = '', text, source, at, metadata, scope }: Said): Draft[] {
  if (text.trim() === '') return []
  const parts: string[] = []
  for (let from = 0; from < text.length;) {
    const end = from + contentLimit
    const isSplit = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800
    parts.push(text.slice(from, isSplit ? end - 1 : end))
    from = isSplit ? end - 1 : end
  }
  return parts.map((content, i) => ({
    kind: 'message',
    id: i === 0 ? id : `${id}.${i + 1}`,
    body: {
      msg_id: i === 0 ? msgId : '',
      content,
      source,
      timestamp: at,
      metadata: { ...metadata, ...(parts.length > 1 ? { part: i + 1, parts: parts.length } : {}) },
    },
    scope,
  }))
}

/** One tool that was called, and what it answered. */
export function toolDraft(
  call: {
    id: string
    tool: string
    input: JsonObject
    goal: string
    at: string
    channel: string
    context: JsonObject
    answer: { text: string; failed: boolean } | undefined
    previous: string | undefined
  },
  session: string,
): Draft {
  const { id, tool, input, goal, at, channel, context, answer, previous } = call
  return {
    kind: 'trace',
    id,
    body: {
      timestamp: at,
      situation: { domain: 'conversation', actor: 'agent', channel, context },
      task: { goal: goal.slice(0, 200_000) || '(none given)', constraints: [] },
      action: { type: tool, parameters: input, tools_used: [tool] },
      ...(answer
        ? { result: { success: !answer.failed, outcome: { observation: answer.text }, side_effects: [] } }
        : {}),
      metadata: {
        mode: 'autonomous',
        tags: [channel],
        linked_traces: previous === undefined ? [] : [previous],
      },
    },
    scope: { session },
  }
}
