// Archives raw records that a digest has told of: messages and thoughts, whose kinds know the instant since when they are.
import { checkAborted } from '../../../core/abort.ts'
import { dayMs } from '../../../core/calendar/zone.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf, type Stored } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { ownedBy, type Persona } from '../persona/persona.ts'
import { type ArchiveCase, archiveRule, type KeptReason, whyKept } from './archive-score.ts'
import { digestsOf } from './digest-record.ts'
import type { DigestPorts } from './tell-day.ts'

const archivable = ['message', 'thought'] as const
const batch = 500

export interface Archival {
  readonly archived: string[]
  /** How many stay, by why. */
  readonly kept: Partial<Record<KeptReason, number>>
}

/** What is to be archived now, and what is not. */
export function planArchive(at: DigestPorts, persona: Persona): Archival {
  const now = parseTime(at.call.now) ?? 0
  const cutoff = formatTime(now - archiveRule.cutoffDays * dayMs)
  const told = new Set(digestsOf(at.records, persona, 'day').map(({ period_id }) => period_id))
  const archived: string[] = []
  const kept: Partial<Record<KeptReason, number>> = {}
  const keep = (why: KeptReason, count = 1) => {
    if (count > 0) kept[why] = (kept[why] ?? 0) + count
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
          whyKept(caseOf(at, record, now)) ?? (told.has(persona.zone.dayOf(happened)) ? undefined : 'untold')
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
  return { archived, kept }
}

function caseOf({ records }: DigestPorts, record: Stored<JsonObject>, now: number): ArchiveCase {
  const { marks } = record
  const days = (since: string) => Math.max(0, now - (parseTime(since) ?? now)) / dayMs
  const said = record['importance']
  const ownKinds = new Set(['digest', 'pattern', 'snapshot', 'turn', 'mark'])
  return {
    ageDays: days(String(record['timestamp'])),
    importance: typeof said === 'number' ? said : 0.5,
    markedImportance: marks?.importance,
    isPersonal: marks?.personal === true,
    isKept: marks?.keep === true,
    isPinned: marks?.pinned === true,
    citations: records.citing(record.id).filter(({ kind }) => !ownKinds.has(kind)).length,
  }
}

/** Archives these records; those that changed meanwhile so that they stay are left. Answers how many were. */
export async function archiveRecords(at: DigestPorts, ids: readonly string[]): Promise<number> {
  let done = 0
  for (let from = 0; from < ids.length; from += batch) {
    checkAborted(at.call.signal)
    at.call.progress({ done: from, total: ids.length, what: 'archive' })
    done += await at.records.write(
      ({ records }) =>
        ids.slice(from, from + batch).filter((id) => {
          const record = records.get(id)
          if (!record || record['archived_at'] !== undefined || isHeld(record)) return false
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

const isHeld = ({ marks }: Stored<JsonObject>) =>
  marks?.personal === true || marks?.keep === true || marks?.pinned === true
