// Archives raw records (messages and thoughts) that a digest covers. An archived record is stored, but out of recall;
// only the owner may purge it. This file has all the rules. Never archived: records marked personal, `keep` or
// pinned, records younger than seven days, and records whose day has no digest. Of the others, those with a score
// below 25 are archived.
import { checkAborted } from '../../../core/abort.ts'
import { dayMs } from '../../../core/zone.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf, type Stored } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { ownedBy, type Persona } from '../persona/persona.ts'
import { digestsOf } from './digest-record.ts'
import type { DigestPorts } from './write-day.ts'

const archiveRule = { cutoffDays: 7, preserveFrom: 25 } as const

/** Input of a score. `ageDays` may have a fraction. */
interface ArchiveCase {
  readonly ageDays: number
  readonly importance: number
  /** Importance from a mark of the record; `importance` was set when the record was stored. */
  readonly markedImportance?: number | undefined
  readonly isPersonal: boolean
  readonly isToKeep: boolean
  readonly isPinned: boolean
  /** Number of records that cite this one, without digests, patterns, snapshots, turns and marks. */
  readonly citations: number
}

export const stayReasons = ['personal', 'keep', 'pinned', 'recent', 'important', 'untold', 'sealed'] as const
export type StayReason = (typeof stayReasons)[number]

/**
 * Score of a record:
 * + 100 if important: a mark of at least 0.75, or stored with importance 1 ("must remember")
 * − 100 if unimportant: a mark of at most 0.1, or without a mark stored with importance 0 ("trivial")
 * + 30 · (1 − days of age ÷ t), at least 0; t = min(21, 7 + 2 · number of citations)
 * + 20 · min(1, number of citations ÷ 5)
 * + 10 · importance, by the mark if there is one
 * − 1 for each day of age after the fourteenth.
 * Age replaces the time of the last access, which other memory systems use: each device counts accesses separately,
 * and all devices must archive the same records.
 */
function archiveScore({ ageDays, importance, markedImportance, citations }: ArchiveCase): number {
  const isImportant = (markedImportance ?? 0) >= 0.75 || importance >= 1
  const isForgettable = markedImportance === undefined ? importance <= 0 : markedImportance <= 0.1
  const reach = Math.min(21, 7 + 2 * citations)
  return (
    (isImportant ? 100 : 0) -
    (isForgettable ? 100 : 0) +
    30 * Math.max(0, 1 - ageDays / reach) +
    20 * Math.min(1, citations / 5) +
    10 * (markedImportance ?? importance) -
    Math.max(0, ageDays - 14)
  )
}

/** The reason to keep a record; undefined if the record is to be archived. */
function stayReason(one: ArchiveCase): StayReason | undefined {
  if (one.isPersonal) return 'personal'
  if (one.isToKeep) return 'keep'
  if (one.isPinned) return 'pinned'
  if (one.ageDays < archiveRule.cutoffDays) return 'recent'
  return archiveScore(one) >= archiveRule.preserveFrom ? 'important' : undefined
}

const archivable = ['message', 'thought'] as const
const batch = 500

interface Archival {
  readonly archived: string[]
  /** Number of records that stay, by reason. */
  readonly stays: Partial<Record<StayReason, number>>
}

/** Ids of the records to archive now, and the number of records that stay, by reason. */
export function planArchive(at: DigestPorts, persona: Persona): Archival {
  const now = parseTime(at.call.now) ?? 0
  const cutoff = formatTime(now - archiveRule.cutoffDays * dayMs)
  const digestedDays = new Set(digestsOf(at.records, persona, 'day').map(({ period_id }) => period_id))
  const archived: string[] = []
  const stays: Partial<Record<StayReason, number>> = {}
  const keep = (why: StayReason, count = 1) => {
    if (count > 0) stays[why] = (stays[why] ?? 0) + count
  }
  for (const kind of archivable) {
    const filters = ownedBy(persona)
    keep(
      'recent',
      at.records.count({ kind, filters: { ...filters, timestamp: { gte: cutoff } }, by: 'none' }).total,
    )
    for (let cursor: string | undefined; ;) {
      const old = { ...filters, timestamp: { lt: cutoff } }
      const page = at.records.query({ kind, filters: old, orderBy: 'timestamp', limit: 1000, cursor })
      for (const record of page.records) {
        const happened = parseTime(String(record['timestamp'])) ?? now
        const why =
          stayReason(caseOf(at, record, now)) ??
          (digestedDays.has(persona.zone.dayOf(happened)) ? undefined : 'untold')
        if (why === undefined) archived.push(record.id)
        else keep(why)
      }
      cursor = page.cursor
      if (cursor === undefined) {
        keep('sealed', page.sealed)
        break
      }
    }
  }
  return { archived, stays }
}

function caseOf({ records }: DigestPorts, record: Stored<JsonObject>, now: number): ArchiveCase {
  const { marks } = record
  const days = (since: string) => Math.max(0, now - (parseTime(since) ?? now)) / dayMs
  const importance = record['importance']
  const ownKinds = new Set(['digest', 'pattern', 'snapshot', 'turn', 'mark'])
  return {
    ageDays: days(String(record['timestamp'])),
    importance: typeof importance === 'number' ? importance : 0.5,
    markedImportance: marks?.importance,
    isPersonal: marks?.personal === true,
    isToKeep: marks?.keep === true,
    isPinned: marks?.pinned === true,
    citations: records.citing(record.id).filter(({ kind }) => !ownKinds.has(kind)).length,
  }
}

/** Archives the records of `ids`, except those that were protected in the meantime. Returns the number archived. */
export async function archiveRecords(at: DigestPorts, ids: readonly string[]): Promise<number> {
  let done = 0
  for (let from = 0; from < ids.length; from += batch) {
    checkAborted(at.call.signal)
    at.call.progress({ done: from, total: ids.length, subject: 'archive' })
    done += await at.records.write(
      ({ records }) =>
        ids.slice(from, from + batch).filter((id) => {
          const record = records.get(id)
          if (!record || record['archived_at'] !== undefined || isProtected(record)) return false
          records.put({
            kind: record.kind,
            id,
            body: { ...bodyOf(record), archived_at: at.call.now },
            exact: true,
          })
          return true
        }).length,
    )
  }
  return done
}

const isProtected = ({ marks }: Stored<JsonObject>) =>
  marks?.personal === true || marks?.keep === true || marks?.pinned === true
