// Takes a snapshot of a persona: recent topics, projects, people, decisions, open questions.
import type { WriteContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { RecordName } from '../../../core/record.ts'
import { dayMs } from '../../../core/zone.ts'
import { parseTime } from '../../../core/time.ts'
import { type Digest, findDigests } from '../digest/digest-record.ts'
import { extract } from '../digest/extract-day.ts'
import { type DigestLine, createLine, toOneLine, type SectionName } from '../digest/digest-line.ts'
import { pendingLines, withoutPendingLines } from '../digest/pending-proposal.ts'
import { listRawRecords } from '../digest/raw-record.ts'
import type { DigestContext } from '../digest/write-day.ts'
import { ownUpkeep, type Persona, writingAgent } from '../persona/persona.ts'
import { type SnapshotBody, snapshotLimits } from './snapshot-kind.ts'

/** Number of days before now whose digests a snapshot quotes. Records are quoted from today only. */
const quotedDays = 7
/** Most characters of a topic: a message with its speaker. */
const maxTopicLength = 160

/**
 * Makes the body of a snapshot. The latest topics come first. Without `focus`, derives one. `session`: id of the
 * session at whose end, or in which, the snapshot is taken.
 */
export function buildSnapshot(
  at: DigestContext,
  persona: Persona,
  focus?: string,
  session?: string,
): JsonObject {
  const now = parseTime(at.call.now) ?? 0
  // A span ends before `to`, so 1 ms more includes records of this instant.
  const span = { from: now - quotedDays * dayMs, to: now + 1 }
  const today = listRawRecords(at.records, persona, {
    from: persona.zone.startOfDay(persona.zone.dayOf(now)),
    to: span.to,
  })
  const todaySections = extract(today, pendingLines(at, persona))
  const earlier = findDigests(at.records, persona, 'day', { from: new Date(span.from).toISOString() })
    .filter(({ period_id }) => period_id !== persona.zone.dayOf(now))
    .toReversed()
    .map((digest) => ({ ...digest, open_questions: withoutPendingLines(at, digest.open_questions) }))
  const messages = today.filter(({ kind }) => kind === 'message').toReversed()
  const topics = messages.map(({ id, name, text }) =>
    createLine(toOneLine(name ? `${name}: ${text}` : text, maxTopicLength), [id]),
  )
  const context = {
    topics: mergeLines(topics, earlier, 'summary'),
    projects: mergeLines(todaySections.projects, earlier, 'projects'),
    people: mergeLines(todaySections.relationships, earlier, 'relationships'),
    decisions: mergeLines(todaySections.decisions, earlier, 'decisions'),
    questions: mergeLines(todaySections.open_questions, earlier, 'open_questions'),
  }
  // Without a focus from the caller: the last decision, or the last topic.
  // `topics`: latest first; undefined for a message without text.
  const derivedFocus = todaySections.decisions.at(-1) ?? topics.find((line) => line !== undefined)
  const body: Omit<SnapshotBody, 'markdown'> = {
    persona: persona.ciId,
    name: persona.name,
    ...defined({ session_id: session }),
    taken_at: at.call.now,
    focus: focus ?? derivedFocus?.text ?? '',
    // Ids of the records of a derived focus. The kind derives the body's `markdown` from these fields.
    focus_records: focus === undefined ? (derivedFocus?.records ?? []) : [],
    context,
  }
  return body as unknown as JsonObject
}

/** Lines of today, then lines of earlier digests, each text once, at most `snapshotLimits.lines`. */
function mergeLines(
  today: readonly (DigestLine | undefined)[],
  earlier: readonly Digest[],
  section: SectionName,
): DigestLine[] {
  const lines = [
    ...today.filter((line) => line !== undefined),
    ...earlier.flatMap((digest) => digest[section]),
  ]
  const lineByText = new Map<string, DigestLine>()
  for (const line of lines) if (!lineByText.has(line.text)) lineByText.set(line.text, line)
  return [...lineByText.values()].slice(0, snapshotLimits.lines)
}

/**
 * Stores the snapshot; returns its id. With `name`, a second call replaces the first snapshot; without, each call makes
 * one. Call it in a transaction.
 */
export function storeSnapshot(
  { records, call }: WriteContext<'records'>,
  persona: Persona,
  body: JsonObject,
  name?: RecordName,
): string {
  const scope = { agent: writingAgent({ call }, persona) }
  // `ownUpkeep`: a call as the persona may change the records of its other ids too.
  const request = { kind: 'snapshot', body, scope, ...ownUpkeep({ call }, persona) }
  return records.put(name ? { ...request, name } : request)
}
