// The records that an importer makes from a file, in order.
// Invariant: the same file makes the same ids.
import { defined } from '../../core/defined.ts'
import { endOfPiece, messagePieces } from '../../core/text/text-pieces.ts'
import { namedMessageId, messageIdAt } from '../../core/text/name-id.ts'
import { type JsonObject, sameJson } from '../../core/json/path.ts'
import type { PutRequest, Scope } from '../../core/record.ts'
import { makeStorable } from './storable.ts'

export interface Draft {
  readonly kind: string
  readonly id: string
  readonly body: JsonObject
  readonly scope: Partial<Scope>
  /** Times of the record in the source. Default: the time of the import. */
  readonly times?: PutRequest['times']
  /** Its place in the file, for errors. */
  readonly place: string
}

export interface Drafts {
  /** The session of the file's run or chat. Absent for files without sessions. */
  readonly session?: string
  readonly records: readonly Draft[]
  /** Content that no record contains: counts by type. */
  readonly omitted?: OmittedCounts
}

export type OmittedCounts = ReadonlyMap<string, number>

/** Counts content that is left out, in addition to `initial`. */
export function createOmittedCounter(initial?: OmittedCounts): {
  readonly counts: OmittedCounts
  add(type: string): void
} {
  const counts = new Map<string, number>(initial)
  return { counts, add: (type) => void counts.set(type, (counts.get(type) ?? 0) + 1) }
}

/**
 * Returns the first draft of each id, with a body that every verb takes. If a later draft of an id has other content,
 * `omitted` counts it as `repeated_id`: a file may contain the records of two programs that used the same id.
 */
export function distinctDrafts({ records, omitted, ...rest }: Drafts): Drafts {
  const omittedCounter = createOmittedCounter(omitted)
  const byId = new Map<string, Draft>()
  for (const { body, ...fields } of records) {
    const draft = { ...fields, body: makeStorable(body) }
    const existing = byId.get(draft.id)
    if (!existing) byId.set(draft.id, draft)
    else if (!sameJson(comparable(existing), comparable(draft))) omittedCounter.add('repeated_id')
  }
  return { ...rest, records: [...byId.values()], omitted: omittedCounter.counts }
}

/** The content of a draft: not `times` and `place`. Times in the body do count. */
const comparable = ({ kind, body, scope }: Draft): JsonObject => ({ kind, body, scope: { ...scope } })

export interface SourceFile {
  readonly name: string
  readonly text: string
  /** The first 16 hexadecimal digits of the text's SHA-256, for files without ids. */
  readonly hash: string
  /** Accepts a file with fewer records than it states. Default false. */
  readonly allowIncomplete?: boolean | undefined
  /** When the file was written, in milliseconds since 1970 UTC, for files without times. */
  readonly recordedMs: number
}

/** Most characters of a goal that a trace takes. */
const maxGoalLength = 200_000

/** Types of speakers by the role in a chat; any other role is `System`. */
const speakerTypes: ReadonlyMap<string, string> = new Map([
  ['assistant', 'Agent'],
  ['user', 'User'],
])

/** The records of a message: none for a blank text, several with part numbers for one that is too long for a record. */
export function messageDrafts(
  message: {
    id: string
    text: string
    role: string
    at: string
    name?: string
    metadata: JsonObject
    place: string
  },
  session: string,
): Draft[] {
  const { id, text, role, at, name, metadata, place } = message
  const source = { type: speakerTypes.get(role) ?? 'System', ...defined({ name }) }
  return splitIntoDrafts({ id, text, source, at, metadata, place, scope: { session } })
}

/** The records of a message from another memory. It gets the id that a message written here would have. */
export function storedMessageDrafts({
  msgId,
  agent,
  resource,
  text,
  source,
  at,
  metadata,
  place,
}: StoredMessage): Draft[] {
  const id =
    msgId === '' ? messageIdAt({ agent }, { at, source, content: text }) : namedMessageId(agent, msgId)
  const scope = { ...(agent === '' ? {} : { agent }), ...(resource === '' ? {} : { resource }) }
  return splitIntoDrafts({ id, msgId, text, source, at, metadata, place, scope })
}

export interface StoredMessage {
  /** The id that the other memory gave; empty: the id is made from agent, time, source and text. */
  readonly msgId: string
  /** Empty: the agent of the import. */
  readonly agent: string
  /** Empty: none. */
  readonly resource: string
  readonly text: string
  /** The speaker, as in the kind `message`. */
  readonly source: JsonObject
  /** Canonical UTC text. */
  readonly at: string
  readonly metadata: JsonObject
  readonly place: string
}

interface TextSource {
  readonly id: string
  readonly msgId?: string
  readonly text: string
  readonly source: JsonObject
  readonly at: string
  readonly metadata: JsonObject
  readonly place: string
  readonly scope: Partial<Scope>
}

function splitIntoDrafts({ id, msgId = '', text, source, at, metadata, place, scope }: TextSource): Draft[] {
  if (text.trim() === '') return []
  const contents = messagePieces(text)
  return contents.map((content, i) => ({
    kind: 'message',
    id: i === 0 ? id : `${id}.${i + 1}`,
    body: {
      msg_id: i === 0 ? msgId : '',
      content,
      source,
      timestamp: at,
      metadata: { ...metadata, ...(contents.length > 1 ? { part: i + 1, parts: contents.length } : {}) },
    },
    scope,
    place,
  }))
}

/**
 * A tool call with its answer, as a trace. `answer` undefined: none came, so the trace has no result.
 * `previous`: the id of the trace before it in the session.
 */
export function toolCallDraft(
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
    place: string
  },
  session: string,
): Draft {
  const { id, tool, input, goal, at, channel, context, answer, previous, place } = call
  return {
    kind: 'trace',
    id,
    body: {
      timestamp: at,
      situation: { domain: 'conversation', actor: 'agent', channel, context },
      task: { goal: goal.slice(0, endOfPiece(goal, maxGoalLength)) || '(none given)', constraints: [] },
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
    place,
  }
}
