// Seals anew what lies under a key that was rotated out, a little at a time: records, their versions, conflicts, answers.
// Invariant: each step is one transaction and leaves everything readable; the next one goes on with what is left.
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import {
  type SealedHead,
  sealedHead,
  type SealedOwner,
  sealedOf,
  type Sensitivity,
} from '../../core/sealed.ts'
import type { Bodies } from './bodies.ts'
import type { OpLog } from './op-log.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import { answerOwner } from './request-log.ts'

/** The setting that says that a key was rotated out here, and not everything is sealed anew. */
const resealing = 'resealing'

export interface Resealing {
  /** From now on everything is sealed anew. Inside a transaction. */
  begin(): void
  isBegun(): boolean
  /** Seals up to `limit` anew; false when nothing is left that can be. Inside a transaction. */
  step(limit: number): boolean
  /** How much is not under the current key. */
  left(): number
  /** Keys that something here still needs, what was sent and not answered included. */
  needed(): ReadonlySet<string>
  /** Inside a transaction. */
  end(): void
}

interface Text extends SqlRow {
  readonly kind: string
  readonly id: string
  readonly text: string
}

/** Where sealed texts lie beside the records themselves: how to find those not under a key, and to replace one. */
const places = [
  {
    find: `SELECT r.kind, r.id, h.seq AS a, h.version AS b, h.body AS text FROM history h JOIN records r ON r.seq = h.seq
      WHERE substr(h.body, 1, 1) = '[' AND instr(h.body, ?) = 0 LIMIT ?`,
    replace: 'UPDATE history SET body = ? WHERE seq = ? AND version = ?',
  },
  ...(['lost_body', 'kept_body', 'base_body'] as const).map((column) => ({
    find: `SELECT kind, record AS id, id AS a, 0 AS b, ${column} AS text FROM conflicts
      WHERE substr(${column}, 1, 1) = '[' AND instr(${column}, ?) = 0 LIMIT ?`,
    replace: `UPDATE conflicts SET ${column} = ? WHERE id = ? AND 0 = ?`,
  })),
  {
    find: `SELECT 'answer' AS kind, request AS id, request AS a, 0 AS b, result AS text FROM applied_requests
      WHERE substr(result, 1, 11) = '["A256GCM",' AND instr(result, ?) = 0 LIMIT ?`,
    replace: 'UPDATE applied_requests SET result = ? WHERE request = ? AND 0 = ?',
  },
] as const

const headOf = ({ stamp, session, resource, sensitivity }: RecordRow): SealedHead =>
  sealedHead({
    stamp,
    session: session ?? undefined,
    resource: resource ?? undefined,
    sensitivity: (sensitivity as Sensitivity | null) ?? undefined,
  })

const everything = Number.MAX_SAFE_INTEGER

export function createResealing({
  db,
  bodies,
  log,
  settings,
  onSealed,
}: {
  readonly db: SqlDatabase
  readonly bodies: Bodies
  readonly log: OpLog
  readonly settings: Settings
  readonly onSealed: (seq: number) => void
}): Resealing {
  /** What can't be opened here stays as it is, and is not tried again. */
  const stuck = new Set<string>()
  const reseal = (owner: SealedOwner, text: string, said?: SealedHead): string | undefined => {
    const lacking = bodies.sealer.lacking?.()
    const plain = stuck.has(text) ? undefined : bodies.open(owner, text)
    // What only waits for its key is tried again.
    if (plain === undefined && lacking === bodies.sealer.lacking?.()) stuck.add(text)
    return plain === undefined
      ? undefined
      : bodies.seal({ ...owner, head: sealedOf(text)?.head ?? said }, plain)
  }

  const stepRecords = (current: string, limit: number): number => {
    const rows = db.all<RecordRow>(
      `SELECT ${recordColumns} FROM records r WHERE r.kid IS NOT NULL AND r.kid <> ? ORDER BY r.seq LIMIT ?`,
      [current, limit + stuck.size],
    )
    let done = 0
    for (const row of rows) {
      const text = reseal(row, row.body, headOf(row))
      if (text === undefined) continue
      db.run('UPDATE records SET kid = ?, body = ? WHERE seq = ?', [current, text, row.seq])
      log.logResealed(row)
      onSealed(row.seq)
      done += 1
    }
    return done
  }

  const stepTexts = (current: string, limit: number): number => {
    let done = 0
    for (const { find, replace } of places) {
      const rows = db.all<Text & { a: number | string; b: number }>(find, [
        `"${current}"`,
        limit + stuck.size,
      ])
      for (const { a, b, text, ...owner } of rows) {
        const sealed = reseal(owner.kind === 'answer' ? answerOwner(owner.id) : owner, text)
        if (sealed === undefined) continue
        db.run(replace, [sealed, a, b])
        done += 1
      }
      if (done >= limit) break
    }
    return done
  }

  const countLeft = (current: string): number => {
    const records = db.get<{ n: number }>(
      'SELECT count(*) AS n FROM records WHERE kid IS NOT NULL AND kid <> ?',
      [current],
    )
    return places.reduce(
      (sum, { find }) => sum + db.all(find, [`"${current}"`, everything]).length,
      records?.n ?? 0,
    )
  }

  return {
    begin: () => settings.set(resealing, 1),
    isBegun: () => settings.get(resealing) !== undefined,
    end: () => settings.remove(resealing),
    step(limit) {
      const current = bodies.sealer.current()
      if (current === undefined) return false
      const done = stepRecords(current, limit)
      return done > 0 || stepTexts(current, limit) > 0
    },
    left() {
      const current = bodies.sealer.current()
      return current === undefined || settings.get(resealing) === undefined ? 0 : countLeft(current)
    },
    needed() {
      const kids = db.all<{ kid: string }>('SELECT DISTINCT kid FROM records WHERE kid IS NOT NULL')
      const texts = places.flatMap(({ find }) => db.all<Text>(find, ['"none"', everything]))
      const sent = log.sent().flatMap(({ wire }) => {
        if (wire === '') return []
        const { enc } = JSON.parse(wire) as { enc?: { kid: string } }
        return enc ? [enc.kid] : []
      })
      return new Set([
        ...kids.map(({ kid }) => kid),
        ...texts.flatMap(({ text }) => sealedOf(text)?.kid ?? []),
        ...sent,
      ])
    },
  }
}
