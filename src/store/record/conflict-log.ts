// The conflict log: each edit that lost a conflict, whole, with the edit that won. A sync only adds entries; a purge
// of their record removes them.
import { defined } from '../../core/defined.ts'
import type {
  ConflictEntry,
  ConflictQuery,
  ConflictSide,
  LoggedConflict,
  LoggedSide,
  SideHead,
} from '../../core/op.ts'
import type { ConflictPolicy } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { infoOf, type SealedBody, sealedOf, type SealedOwner, sealedText } from '../../core/sealed.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { Bodies } from './bodies.ts'
import { isOrWasSealed, type RecordRow } from '../schema/record-row.ts'
import type { ForgottenWordsEraser } from './cover-text.ts'
import { conflictsOfRecord, eraseRows } from './erase-rows.ts'

/**
 * One edit of a new entry: a body in clear (`body`), a sealed body (`enc`), or the id of the record with the content
 * (`record`).
 */
export interface NewConflictSide extends Omit<LoggedSide, 'sealed'> {
  readonly enc?: SealedBody | undefined
}

/**
 * An edit that lost (`loser`) to `winner`. `record`: id of the record. `base`: the common base of both. `paths`: after
 * a merge, those that both sides changed to different values.
 */
export interface NewConflictEntry extends Omit<ConflictEntry, 'id' | 'loser' | 'winner'> {
  readonly loser: NewConflictSide
  readonly winner?: NewConflictSide
}

/** Removes the content of forgotten records from new entries. */
export interface ForgottenText {
  /** True for a body that was made from a forgotten record: such an edit is not logged. */
  quotesForgotten(owner: SealedOwner, body: JsonObject): boolean
  readonly eraser: Pick<ForgottenWordsEraser, 'withoutForgottenWords'>
}

interface ConflictRow extends SqlRow {
  readonly id: number
  readonly record: string
  readonly kind: string
  readonly policy: string
  readonly at: string
  /** `open`: a person must decide. `settled`: the policy decided. `decided`: a person decided. */
  readonly state: string
  /** The device of the edit. */
  readonly loser_by: string
  /** `put`, `forget` or `purge`. */
  readonly loser_op: string
  /** A JSON object, a sealed body (an array), or the id of another record with the content (a string). */
  readonly loser_body: string | null
  readonly winner_by: string | null
  readonly winner_op: string | null
  readonly winner_body: string | null
  readonly base_body: string | null
  /**
   * JSON: `session`, `resource`, `sensitivity`, `created_at`. Null without a body, and in entries of earlier schemas.
   */
  readonly loser_head: string | null
  readonly winner_head: string | null
  /** A JSON list: after a merge, paths that both sides changed to different values. */
  readonly paths: string | null
}

const columns =
  'id, record, kind, policy, at, state, loser_by, loser_op, loser_body, winner_by, winner_op, winner_body, base_body, paths, loser_head, winner_head'

/** The value of `loser_op` or `winner_op`. */
const storedOp = ({ op, purged }: NewConflictSide) => (purged ? 'purge' : op)

export class ConflictLog {
  readonly #db: SqlDatabase
  readonly #bodies: Bodies
  readonly #forgottenText: ForgottenText

  constructor(db: SqlDatabase, bodies: Bodies, sources: ForgottenText) {
    this.#db = db
    this.#bodies = bodies
    this.#forgottenText = sources
  }

  /**
   * Adds an entry. Seals the clear bodies of a sealed record, or leaves them out without a key. Adds nothing when an
   * edit was made from a forgotten record.
   */
  add({ record, kind, policy, at, state, paths, ...sides }: NewConflictEntry): void {
    const owner = { kind, id: record }
    const loser = this.#withoutForgotten(owner, sides.loser)
    const winner = sides.winner && this.#withoutForgotten(owner, sides.winner)
    const base = sides.base && this.#forgottenText.eraser.withoutForgottenWords(owner, sides.base)
    const bodies = [this.#bodyOf(owner, loser), winner && this.#bodyOf(owner, winner), base]
    if (bodies.some((body) => body && this.#forgottenText.quotesForgotten(owner, body))) return
    const mustSeal = loser.enc !== undefined || winner?.enc !== undefined || this.#isSealed(record)
    const textOf = this.#createEncoder(owner, mustSeal)
    const bodyTexts = [sideText(loser, textOf), sideText(winner, textOf), textOf(base)]
    if (utf8Length(bodyTexts.join('')) > maxBodyBytes) bodyTexts.fill(null, 1)
    const [loserText = null, winnerText = null, baseText = null] = bodyTexts
    this.#db.run(
      `INSERT INTO conflicts (record, kind, policy, at, state, loser_by, loser_op, loser_body, winner_by, winner_op,
         winner_body, base_body, paths, loser_head, winner_head) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      [
        record,
        kind,
        policy,
        at,
        state,
        loser.by,
        storedOp(loser),
        loserText,
        winner?.by ?? null,
        winner ? storedOp(winner) : null,
        winnerText,
        baseText,
        paths === undefined ? null : JSON.stringify(paths),
        headText(loser, loserText),
        headText(winner, winnerText),
      ],
    )
  }

  get(id: number): LoggedConflict | undefined {
    const row = this.#db.get<ConflictRow>(`SELECT ${columns} FROM conflicts WHERE id = ?`, [id])
    if (!row) return undefined
    const { loser, winner, ...rest } = this.#toEntry(row)
    return {
      ...rest,
      loser: { ...loser, ...headOf(row.loser_head, row.loser_body) },
      ...(winner ? { winner: { ...winner, ...headOf(row.winner_head, row.winner_body) } } : {}),
    }
  }

  /** At most `limit` entries (default 100), newest first. `before`: only entries with lower ids. */
  list({ limit = 100, record, undecided = false, before }: ConflictQuery): ConflictEntry[] {
    const rows = this.#db.all<ConflictRow>(
      `SELECT ${columns} FROM conflicts WHERE id < ? AND record = coalesce(?, record)
         AND (? = 0 OR state <> 'decided') ORDER BY id DESC LIMIT ?`,
      [before ?? Number.MAX_SAFE_INTEGER, record ?? null, undecided ? 1 : 0, limit],
    )
    return rows.map((row) => this.#toEntry(row))
  }

  /** True if this sealed edit of the record is in the log. */
  hasLost(record: string, { by, enc }: { readonly by: string; readonly enc: SealedBody }): boolean {
    const sql = 'SELECT 1 FROM conflicts WHERE record = ? AND loser_by = ? AND loser_body = ?'
    return this.#db.get(sql, [record, by, sealedText(enc)]) !== undefined
  }

  /** Marks an entry as decided by the user. */
  decide(id: number): void {
    this.#db.run("UPDATE conflicts SET state = 'decided' WHERE id = ?", [id])
  }

  purge(record: string): void {
    eraseRows(this.#db, conflictsOfRecord, [record])
  }

  /** How many entries are not decided. */
  undecidedCount(): number {
    const row = this.#db.get<{ n: number }>("SELECT count(*) AS n FROM conflicts WHERE state <> 'decided'")
    return row?.n ?? 0
  }

  /** The body of a side; undefined for a forget, for another record, and without its key here. */
  #bodyOf(owner: SealedOwner, { enc, body }: NewConflictSide): JsonObject | undefined {
    return enc ? this.#bodies.read(owner, sealedText(enc)) : body
  }

  /** `side` without the words of forgotten records. */
  #withoutForgotten(owner: SealedOwner, side: NewConflictSide): NewConflictSide {
    const body = this.#bodyOf(owner, side)
    const rest = body && this.#forgottenText.eraser.withoutForgottenWords(owner, body)
    return !rest || rest === body ? side : { ...side, enc: undefined, body: rest }
  }

  /** A function from a body to the text to store; null for a body that must be sealed without a key. */
  #createEncoder(owner: SealedOwner, mustSeal: boolean): (body: JsonObject | undefined) => string | null {
    const hasKey = this.#bodies.sealer.current() !== undefined
    return (body) => {
      if (body === undefined || (mustSeal && !hasKey)) return null
      return mustSeal ? this.#bodies.seal(owner, JSON.stringify(body)) : JSON.stringify(body)
    }
  }

  #isSealed(id: string): boolean {
    const row = this.#db.get<Pick<RecordRow, 'kid' | 'deleted' | 'sensitivity'>>(
      'SELECT kid, deleted, sensitivity FROM records WHERE id = ?',
      [id],
    )
    return row !== undefined && isOrWasSealed(row)
  }

  #toEntry(row: ConflictRow): ConflictEntry {
    const { id, record, kind, at } = row
    const owner = { kind, id: record }
    const base = row.base_body === null ? undefined : this.#bodies.read(owner, row.base_body)
    return {
      id,
      record,
      kind,
      at,
      policy: row.policy as ConflictPolicy,
      state: row.state as ConflictEntry['state'],
      loser: this.#toSide(owner, row.loser_by, row.loser_op, row.loser_body),
      ...(row.winner_by === null
        ? {}
        : { winner: this.#toSide(owner, row.winner_by, row.winner_op, row.winner_body) }),
      ...defined({ base }),
      ...(row.paths === null ? {} : { paths: JSON.parse(row.paths) as string[] }),
    }
  }

  #toSide(owner: SealedOwner, by: string, op: string | null, text: string | null): ConflictSide {
    const head = {
      by,
      op: op === 'put' ? ('put' as const) : ('forget' as const),
      ...(op === 'purge' ? { purged: true as const } : {}),
    }
    if (text === null) return head
    if (text.startsWith('"')) return this.#sideOfOtherRecord(by, JSON.parse(text) as string)
    const body = this.#bodies.read(owner, text)
    const sealed = sealedOf(text)
    if (body) return { ...head, body, ...(sealed ? { sensitive: true as const } : {}) }
    return sealed ? { ...head, sealed: infoOf(sealed) } : head
  }

  /**
   * The present content of the record with the id `record`. The log does not copy it: a forget or seal there covers
   * it.
   */
  #sideOfOtherRecord(by: string, record: string): ConflictSide {
    const row = this.#db.get<{ kind: string; body: string; deleted: number }>(
      'SELECT kind, body, deleted FROM records WHERE id = ?',
      [record],
    )
    if (!row || row.deleted === 1) return { by, op: 'forget', record }
    return { ...this.#toSide({ kind: row.kind, id: record }, by, 'put', row.body), record }
  }
}

/**
 * Most bytes of the bodies of an entry: a Durable Object stores rows of up to 2 MB. Beyond it the entry has the loser
 * alone: the content of the winner is in its record too.
 */
const maxBodyBytes = 1_900_000

/** The value of `loser_head` or `winner_head`. */
const headText = (side: NewConflictSide | undefined, body: string | null) =>
  side?.head && body !== null ? JSON.stringify(side.head) : null

/** A sealed body of an earlier entry has most of the head. */
function headOf(head: string | null, body: string | null): { head?: SideHead } {
  if (head !== null) return { head: JSON.parse(head) as SideHead }
  return defined({ head: body === null ? undefined : sealedOf(body)?.head })
}

/** The value of `loser_body` or `winner_body`: see `ConflictRow`. */
function sideText(
  side: NewConflictSide | undefined,
  textOf: (body: JsonObject | undefined) => string | null,
): string | null {
  if (side?.record !== undefined) return JSON.stringify(side.record)
  return side?.enc ? sealedText(side.enc) : textOf(side?.body)
}
