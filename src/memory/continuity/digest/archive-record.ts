// Archives raw records (messages and thoughts) that a digest covers. An archived record has `archived_at`: it is
// stored, but out of recall and default queries; only the owner may purge it. This file has all the rules. Never
// archived: records marked personal, `keep` or pinned, records younger than seven days, records whose day has no
// digest, and records that this copy can't read: sealed ones, and bodies of a later Daybook. Of the others, those with a
// score below 25 are archived.
import { checkAborted } from '../../../core/abort.ts'
import { isUnderstood } from '../../../core/capability/understood.ts'
import { dayMs } from '../../../core/zone.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf, type Stored } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { ownUpkeep, personaFilter, type Persona } from '../persona/persona.ts'
import { findDigests } from './digest-record.ts'
import type { DigestContext } from './write-day.ts'

/** Least age in days of an archived record, and the score from which a record stays. */
const archiveRule = { cutoffDays: 7, preserveFrom: 25 } as const

/** The facts about a record by which it is archived or stays. `ageDays` may have a fraction. */
interface ArchiveInput {
  readonly ageDays: number
  readonly importance: number
  /** Importance from a mark of the record; `importance` was set when the record was stored. */
  readonly markedImportance?: number | undefined
  readonly isPersonal: boolean
  readonly isMarkedKeep: boolean
  readonly isPinned: boolean
  /** Number of records that cite this one, without digests, patterns, snapshots, turns and marks. */
  readonly citations: number
}

/**
 * Reasons to keep a record. `personal`, `keep`, `pinned`: its marks. `recent`: its age. `important`: its score.
 * `undigested`: its day has no digest. `sealed`: this copy can't read it, or its body is of a later Daybook.
 */
export const retentionReasons = [
  'personal',
  'keep',
  'pinned',
  'recent',
  'important',
  'undigested',
  'sealed',
] as const
export type RetentionReason = (typeof retentionReasons)[number]

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
function archiveScore({ ageDays, importance, markedImportance, citations }: ArchiveInput): number {
  const isImportant = (markedImportance ?? 0) >= 0.75 || importance >= 1
  const isTrivial = markedImportance === undefined ? importance <= 0 : markedImportance <= 0.1
  const decayDays = Math.min(21, 7 + 2 * citations)
  return (
    (isImportant ? 100 : 0) -
    (isTrivial ? 100 : 0) +
    30 * Math.max(0, 1 - ageDays / decayDays) +
    20 * Math.min(1, citations / 5) +
    10 * (markedImportance ?? importance) -
    Math.max(0, ageDays - 14)
  )
}

/** The reason to keep a record; undefined if the record is to be archived. */
function retentionReason(input: ArchiveInput): RetentionReason | undefined {
  if (input.isPersonal) return 'personal'
  if (input.isMarkedKeep) return 'keep'
  if (input.isPinned) return 'pinned'
  if (input.ageDays < archiveRule.cutoffDays) return 'recent'
  return archiveScore(input) >= archiveRule.preserveFrom ? 'important' : undefined
}

/** The kinds with `archived_at`. */
const archivableKinds = ['message', 'thought'] as const
/** Records archived in one transaction. */
const batchSize = 500

interface ArchivePlan {
  readonly toArchive: string[]
  /** Number of records that stay, by reason. */
  readonly retainedCounts: Partial<Record<RetentionReason, number>>
}

/**
 * Ids of the records to archive now, and the number of records that stay, by reason. Archived ones are not
 * counted again: a default query skips them.
 */
export function planArchive(at: DigestContext, persona: Persona): ArchivePlan {
  const nowMs = parseTime(at.call.now) ?? 0
  const cutoff = formatTime(nowMs - archiveRule.cutoffDays * dayMs)
  const digestedDays = new Set(findDigests(at.records, persona, 'day').map(({ period_id }) => period_id))
  const toArchive: string[] = []
  const retainedCounts: Partial<Record<RetentionReason, number>> = {}
  const countRetained = (reason: RetentionReason, count = 1) => {
    if (count > 0) retainedCounts[reason] = (retainedCounts[reason] ?? 0) + count
  }
  for (const kind of archivableKinds) {
    const declared = at.records.kinds.get(kind)
    const filters = personaFilter(persona)
    countRetained(
      'recent',
      at.records.count({ kind, filters: { ...filters, timestamp: { gte: cutoff } }, by: 'none' }).total,
    )
    for (let cursor: string | undefined; ;) {
      const oldEnough = { ...filters, timestamp: { lt: cutoff } }
      const page = at.records.query({ kind, filters: oldEnough, orderBy: 'timestamp', limit: 1000, cursor })
      for (const record of page.records) {
        const happenedMs = parseTime(String(record['timestamp'])) ?? nowMs
        const reason =
          retentionReason(archiveInputOf(at, record, nowMs)) ??
          (digestedDays.has(persona.zone.dayOf(happenedMs)) ? undefined : 'undigested') ??
          (declared && isUnderstood(declared, record) ? undefined : 'sealed')
        if (reason === undefined) toArchive.push(record.id)
        else countRetained(reason)
      }
      cursor = page.cursor
      if (cursor === undefined) {
        countRetained('sealed', page.sealed ?? 0)
        break
      }
    }
  }
  return { toArchive, retainedCounts }
}

function archiveInputOf({ records }: DigestContext, record: Stored<JsonObject>, nowMs: number): ArchiveInput {
  const { marks } = record
  const ageInDays = (time: string) => Math.max(0, nowMs - (parseTime(time) ?? nowMs)) / dayMs
  const importance = record['importance']
  const derivedKinds = new Set(['digest', 'pattern', 'snapshot', 'turn', 'mark'])
  return {
    ageDays: ageInDays(String(record['timestamp'])),
    importance: typeof importance === 'number' ? importance : 0.5,
    markedImportance: marks?.importance,
    isPersonal: marks?.personal === true,
    isMarkedKeep: marks?.keep === true,
    isPinned: marks?.pinned === true,
    citations: records.citing(record.id).filter(({ kind }) => !derivedKinds.has(kind)).length,
  }
}

/**
 * Archives the persona's records of `ids`, except those that were marked personal, `keep` or pinned in the meantime. Returns the
 * number archived.
 */
export async function archiveRecords(
  at: DigestContext,
  persona: Persona,
  ids: readonly string[],
): Promise<number> {
  let archivedCount = 0
  for (let start = 0; start < ids.length; start += batchSize) {
    checkAborted(at.call.signal)
    at.call.progress({ done: start, total: ids.length, subject: 'archive' })
    archivedCount += await at.records.write(
      ({ records }) =>
        ids.slice(start, start + batchSize).filter((id) => {
          const record = records.get(id)
          if (!record || record['archived_at'] !== undefined || isMarkedToStay(record)) return false
          records.put({
            kind: record.kind,
            id,
            body: { ...bodyOf(record), archived_at: at.call.now },
            exact: true,
            ...ownUpkeep(at, persona),
          })
          return true
        }).length,
      'every-run',
    )
  }
  return archivedCount
}

const isMarkedToStay = ({ marks }: Stored<JsonObject>) =>
  marks?.personal === true || marks?.keep === true || marks?.pinned === true
