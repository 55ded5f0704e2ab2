// Takes a snapshot of a persona: recent topics, projects, people, decisions, open questions.
import type { WriteContext } from '../../../core/capability/context.ts'
import { defined } from '../../../core/defined.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import type { RecordName } from '../../../core/record.ts'
import { dayMs } from '../../../core/zone.ts'
import { parseTime } from '../../../core/time.ts'
import { type Digest, digestsOf } from '../digest/digest-record.ts'
import { extract } from '../digest/extract.ts'
import { type Line, lineOf, lineText, type PartName } from '../digest/line.ts'
import { waitingLines, withoutWaiting } from '../digest/pending.ts'
import { rawOf } from '../digest/raw-record.ts'
import type { DigestPorts } from '../digest/write-day.ts'
import { type Persona, writingAgent } from '../persona/persona.ts'
import { type SnapshotBody, snapshotLimit } from './snapshot-kind.ts'

/** Number of days before now whose digests a snapshot quotes. Records are quoted from today only. */
const daysBack = 7
const topicLength = 160

/** Makes the body of a snapshot. The latest topics come first. Without `focus`, derives one. */
export function snapshotOf(at: DigestPorts, persona: Persona, focus?: string, session?: string): JsonObject {
  const now = parseTime(at.call.now) ?? 0
  const span = { from: now - daysBack * dayMs, to: now + 1 }
  const today = rawOf(at.records, persona, {
    from: persona.zone.startOfDay(persona.zone.dayOf(now)),
    to: span.to,
  })
  const parts = extract(today, waitingLines(at, persona))
  const earlier = digestsOf(at.records, persona, 'day', { from: new Date(span.from).toISOString() })
    .filter(({ period_id }) => period_id !== persona.zone.dayOf(now))
    .toReversed()
    .map((digest) => ({ ...digest, open_questions: withoutWaiting(at, digest.open_questions) }))
  const spoken = today.filter(({ kind }) => kind === 'message').toReversed()
  const topics = spoken.map(({ id, name, text }) =>
    lineOf(lineText(name ? `${name}: ${text}` : text, topicLength), [id]),
  )
  const context = {
    topics: merged(topics, earlier, 'summary'),
    projects: merged(parts.projects, earlier, 'projects'),
    people: merged(parts.relationships, earlier, 'relationships'),
    decisions: merged(parts.decisions, earlier, 'decisions'),
    questions: merged(parts.open_questions, earlier, 'open_questions'),
  }
  // Without a focus from the caller: the last decision, or the last topic.
  const guessed = parts.decisions.at(-1) ?? topics.find((one) => one !== undefined)
  const body: Omit<SnapshotBody, 'markdown'> = {
    persona: persona.ciId,
    name: persona.name,
    ...defined({ session_id: session }),
    taken_at: at.call.now,
    focus: focus ?? guessed?.text ?? '',
    focus_records: focus === undefined ? (guessed?.records ?? []) : [],
    context,
  }
  return body as unknown as JsonObject
}

/** Lines of today, then lines of earlier digests, each text once, at most `snapshotLimit.lines`. */
function merged(today: readonly (Line | undefined)[], earlier: readonly Digest[], part: PartName): Line[] {
  const all = [...today.filter((one) => one !== undefined), ...earlier.flatMap((digest) => digest[part])]
  const once = new Map<string, Line>()
  for (const line of all) if (!once.has(line.text)) once.set(line.text, line)
  return [...once.values()].slice(0, snapshotLimit.lines)
}

/** Stores the snapshot, under `name` if given; returns its id. Call it in a transaction. */
export function putSnapshot(
  { records, call }: WriteContext<'records'>,
  persona: Persona,
  body: JsonObject,
  name?: RecordName,
): string {
  const scope = { agent: writingAgent({ call }, persona) }
  return records.put(name ? { kind: 'snapshot', name, body, scope } : { kind: 'snapshot', body, scope })
}
