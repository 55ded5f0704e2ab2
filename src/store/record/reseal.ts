// After a key rotation: seals the texts under older keys with the current key, in steps: records, their versions,
// conflicts, answers.
// Invariant: each step is one transaction and leaves every text readable; the next step continues.
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

/** The setting that exists from a key rotation until all texts are sealed again. */
const resealingSetting = 'resealing'

/** `kind` and `id`: the record or request to which the sealed text is bound. */
interface SealedTextRow extends SqlRow {
  readonly kind: string
  readonly id: string
  readonly text: string
}

/**
 * Sealed texts outside of `records`. `find` selects the texts that are not under the key whose id, in quotes,
 * is the parameter. `a` and `b` are the primary key of a row (`b` is 0 if it has one column), by which
 * `replace` stores a text. An answer may be any JSON, so `find` compares more of it.
 */
const sealedTextQueries = [
  {
    find: `SELECT r.kind, r.id, h.seq AS a, h.version AS b, h.body AS text FROM history h JOIN records r ON r.seq = h.seq
      WHERE substr(h.body, 1, 1) = '[' AND instr(h.body, ?) = 0 LIMIT ?`,
    replace: 'UPDATE history SET body = ? WHERE seq = ? AND version = ?',
  },
  ...(['loser_body', 'winner_body', 'base_body'] as const).map((column) => ({
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

const sealedHeadOf = ({ stamp, session, resource, sensitivity }: RecordRow): SealedHead =>
  sealedHead({
    stamp,
    session: session ?? undefined,
    resource: resource ?? undefined,
    sensitivity: (sensitivity as Sensitivity | null) ?? undefined,
  })

const noLimit = Number.MAX_SAFE_INTEGER

interface ResealingDeps {
  readonly db: SqlDatabase
  readonly bodies: Bodies
  readonly log: OpLog
  readonly settings: Settings
  /** Runs for each record that is sealed again, inside the transaction. */
  readonly onSealed: (seq: number) => void
}

export class Resealing {
  readonly #deps: ResealingDeps
  readonly #db: SqlDatabase
  /** Texts that can't be decrypted here: `step` leaves them as they are and does not try again. */
  readonly #undecryptable = new Set<string>()

  constructor(deps: ResealingDeps) {
    this.#deps = deps
    this.#db = deps.db
  }

  /** Marks the work as begun. Call it inside a transaction. */
  begin(): void {
    this.#deps.settings.set(resealingSetting, 1)
  }

  /** True from `begin` until `end`, also in a later engine. */
  isBegun(): boolean {
    return this.#deps.settings.get(resealingSetting) !== undefined
  }

  /** Marks the work as done. Call it inside a transaction. */
  end(): void {
    this.#deps.settings.remove(resealingSetting)
  }

  /** Seals about `limit` texts again; false when no text is left that can be sealed. Call it inside a transaction. */
  step(limit: number): boolean {
    const current = this.#currentKeyId()
    if (current === undefined) return false
    return this.#stepRecords(current, limit) > 0 || this.#stepTexts(current, limit) > 0
  }

  /** How many texts are not under the current key; 0 before `begin` and without a key. */
  remainingCount(): number {
    const current = this.#currentKeyId()
    if (current === undefined || !this.isBegun()) return 0
    const records = this.#db.get<{ n: number }>(
      'SELECT count(*) AS n FROM records WHERE kid IS NOT NULL AND kid <> ?',
      [current],
    )
    return sealedTextQueries.reduce(
      (sum, { find }) => sum + this.#db.all(find, [`"${current}"`, noLimit]).length,
      records?.n ?? 0,
    )
  }

  /** The ids of the keys that the book still needs, also for sent ops without an answer. */
  neededKeyIds(): ReadonlySet<string> {
    const kids = this.#db.all<{ kid: string }>('SELECT DISTINCT kid FROM records WHERE kid IS NOT NULL')
    // No key has the id `none`, so this finds all sealed texts.
    const texts = sealedTextQueries.flatMap(({ find }) =>
      this.#db.all<SealedTextRow>(find, ['"none"', noLimit]),
    )
    const sent = this.#deps.log.sentOps().flatMap(({ wire }) => {
      if (wire === '') return []
      const { enc } = JSON.parse(wire) as { enc?: { kid: string } }
      return enc ? [enc.kid] : []
    })
    return new Set([
      ...kids.map(({ kid }) => kid),
      ...texts.flatMap(({ text }) => sealedOf(text)?.kid ?? []),
      ...sent,
    ])
  }

  #currentKeyId(): string | undefined {
    return this.#deps.bodies.sealer.current()
  }

  /** Seals up to `limit` records with the key `current`; returns how many. */
  #stepRecords(current: string, limit: number): number {
    const { log, onSealed } = this.#deps
    const rows = this.#db.all<RecordRow>(
      `SELECT ${recordColumns} FROM records r WHERE r.kid IS NOT NULL AND r.kid <> ? ORDER BY r.seq LIMIT ?`,
      [current, limit + this.#undecryptable.size],
    )
    let done = 0
    for (const row of rows) {
      const text = this.#reseal(row, row.body, sealedHeadOf(row))
      if (text === undefined) continue
      this.#db.run('UPDATE records SET kid = ?, body = ? WHERE seq = ?', [current, text, row.seq])
      // So that sync sends the new bytes.
      log.logResealed(row)
      onSealed(row.seq)
      done += 1
    }
    return done
  }

  /** Seals about `limit` other texts with the key `current`; returns how many. */
  #stepTexts(current: string, limit: number): number {
    let done = 0
    for (const { find, replace } of sealedTextQueries) {
      const rows = this.#db.all<SealedTextRow & { a: number | string; b: number }>(find, [
        `"${current}"`,
        limit + this.#undecryptable.size,
      ])
      for (const { a, b, text, ...owner } of rows) {
        const sealed = this.#reseal(owner.kind === 'answer' ? answerOwner(owner.id) : owner, text)
        if (sealed === undefined) continue
        this.#db.run(replace, [sealed, a, b])
        done += 1
      }
      if (done >= limit) break
    }
    return done
  }

  /** `text`, sealed with the current key; undefined when it can't be decrypted here now. */
  #reseal(owner: SealedOwner, text: string, head?: SealedHead): string | undefined {
    const { bodies } = this.#deps
    const missingKeys = bodies.sealer.missingKeyCount?.()
    const plain = this.#undecryptable.has(text) ? undefined : bodies.open(owner, text)
    // Try a text again later when only its key is missing.
    if (plain === undefined && missingKeys === bodies.sealer.missingKeyCount?.())
      this.#undecryptable.add(text)
    return plain === undefined
      ? undefined
      : bodies.seal({ ...owner, head: sealedOf(text)?.head ?? head }, plain)
  }
}
