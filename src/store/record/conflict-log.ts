// The conflict log: every edit that lost, kept whole, with what it lost to. A sync adds to it and never removes;
// only purging a record takes the entries about it along.
import type { ConflictEntry, ConflictQuery, ConflictSide } from '../../core/conflict.ts'
import type { ConflictPolicy } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow } from '../../core/ports.ts'
import { infoOf, type SealedBody, sealedOf, type SealedOwner, sealedText } from '../../core/sealed.ts'
import type { Bodies } from './bodies.ts'
import { isSecret, type RecordRow } from '../schema/record-row.ts'
import type { WordCover } from './cover-words.ts'
import { conflictsOf, eraseRows } from './erase-rows.ts'

export interface ConflictLog {
  /** The bodies of a sealed record are sealed here too, if they come in clear, and left out where no key is. */
  add(entry: LoggedConflict): void
  get(id: number): ConflictEntry | undefined
  /** Newest first. */
  list(query: ConflictQuery): ConflictEntry[]
  /** Somebody has decided what the record says. */
  decide(id: number): void
  /** Takes away all entries about a record that is purged. */
  purge(record: string): void
  /** Entries that nobody has looked at and decided. */
  count(): number
}

/** A side of a conflict as it is written down: a body in clear, or sealed as it came, or the id of the record that says it. */
export interface LoggedSide extends Omit<ConflictSide, 'sealed'> {
  readonly enc?: SealedBody | undefined
}

export interface LoggedConflict extends Omit<ConflictEntry, 'id' | 'lost' | 'kept'> {
  readonly lost: LoggedSide
  readonly kept?: LoggedSide
}

interface Row extends SqlRow {
  readonly id: number
  readonly record: string
  readonly kind: string
  readonly policy: string
  readonly at: string
  readonly state: string
  readonly lost_by: string
  readonly lost_op: string
  readonly lost_body: string | null
  readonly kept_by: string | null
  readonly kept_op: string | null
  readonly kept_body: string | null
  readonly base_body: string | null
  readonly paths: string | null
}

const columns =
  'id, record, kind, policy, at, state, lost_by, lost_op, lost_body, kept_by, kept_op, kept_body, base_body, paths'

const opOf = ({ op, purged }: LoggedSide) => (purged ? 'purge' : op)

export interface GoneWords {
  /** Whether a body was made from a record that is forgotten: such an edit is not kept. */
  quotesGone(owner: SealedOwner, body: JsonObject): boolean
  readonly words: Pick<WordCover, 'without'>
}

export function createConflictLog(db: SqlDatabase, bodies: Bodies, sources: GoneWords): ConflictLog {
  const text = (body: unknown) => (body === undefined ? null : JSON.stringify(body))
  const isSealed = (id: string) => {
    const row = db.get<Pick<RecordRow, 'kid' | 'deleted' | 'sensitivity'>>(
      'SELECT kid, deleted, sensitivity FROM records WHERE id = ?',
      [id],
    )
    return row !== undefined && isSecret(row)
  }
  const side = (owner: SealedOwner, by: string, op: string | null, said: string | null): ConflictSide => {
    const head = {
      by,
      op: op === 'put' ? ('put' as const) : ('forget' as const),
      ...(op === 'purge' ? { purged: true as const } : {}),
    }
    if (said === null) return head
    if (said.startsWith('"')) return sideElsewhere(by, JSON.parse(said) as string)
    const body = bodies.read(owner, said)
    const sealed = sealedOf(said)
    if (body) return { ...head, body, ...(sealed ? { sensitive: true as const } : {}) }
    return sealed ? { ...head, sealed: infoOf(sealed) } : head
  }

  /** What another record says now. It is kept there alone: so it is sealed, or goes, with that. */
  const sideElsewhere = (by: string, record: string): ConflictSide => {
    const row = db.get<{ kind: string; body: string; deleted: number }>(
      'SELECT kind, body, deleted FROM records WHERE id = ?',
      [record],
    )
    if (!row || row.deleted === 1) return { by, op: 'forget', record }
    return { ...side({ kind: row.kind, id: record }, by, 'put', row.body), record }
  }

  const toEntry = (row: Row): ConflictEntry => {
    const { id, record, kind, at } = row
    const owner = { kind, id: record }
    const base = row.base_body === null ? undefined : bodies.read(owner, row.base_body)
    return {
      id,
      record,
      kind,
      at,
      policy: row.policy as ConflictPolicy,
      state: row.state as ConflictEntry['state'],
      lost: side(owner, row.lost_by, row.lost_op, row.lost_body),
      ...(row.kept_by === null ? {} : { kept: side(owner, row.kept_by, row.kept_op, row.kept_body) }),
      ...(base === undefined ? {} : { base }),
      ...(row.paths === null ? {} : { paths: JSON.parse(row.paths) as string[] }),
    }
  }

  return {
    add({ record, kind, policy, at, state, paths, ...came }) {
      const owner = { kind, id: record }
      const bodyOf = ({ enc, body }: LoggedSide) => (enc ? bodies.read(owner, sealedText(enc)) : body)
      const { words } = sources
      const clean = (one: LoggedSide): LoggedSide => {
        const body = bodyOf(one)
        const left = body && words.without(owner, body)
        return !left || left === body ? one : { ...one, enc: undefined, body: left }
      }
      const lost = clean(came.lost)
      const kept = came.kept && clean(came.kept)
      const base = came.base && words.without(owner, came.base)
      const said = [bodyOf(lost), kept && bodyOf(kept), base]
      if (said.some((body) => body && sources.quotesGone(owner, body))) return
      const mustSeal = (lost.enc ?? kept?.enc ?? isSealed(record)) !== false
      const hasKey = bodies.sealer.current() !== undefined
      // What is to be sealed and can't be is left out.
      const textOf = (body: JsonObject | undefined) => {
        if (body === undefined || (mustSeal && !hasKey)) return null
        return mustSeal ? bodies.seal(owner, JSON.stringify(body)) : JSON.stringify(body)
      }
      const spell = (one: LoggedSide | undefined) => {
        if (one?.record !== undefined) return JSON.stringify(one.record)
        return one?.enc ? sealedText(one.enc) : textOf(one?.body)
      }
      db.run(
        `INSERT INTO conflicts (record, kind, policy, at, state, lost_by, lost_op, lost_body, kept_by, kept_op,
           kept_body, base_body, paths) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          record,
          kind,
          policy,
          at,
          state,
          lost.by,
          opOf(lost),
          spell(lost),
          kept?.by ?? null,
          kept ? opOf(kept) : null,
          spell(kept),
          textOf(base),
          text(paths),
        ],
      )
    },
    get(id) {
      const row = db.get<Row>(`SELECT ${columns} FROM conflicts WHERE id = ?`, [id])
      return row && toEntry(row)
    },
    list({ limit = 100, record, undecided = false, before }) {
      const rows = db.all<Row>(
        `SELECT ${columns} FROM conflicts WHERE id < ? AND record = coalesce(?, record)
           AND (? = 0 OR state <> 'decided') ORDER BY id DESC LIMIT ?`,
        [before ?? Number.MAX_SAFE_INTEGER, record ?? null, undecided ? 1 : 0, limit],
      )
      return rows.map(toEntry)
    },
    decide: (id) => db.run("UPDATE conflicts SET state = 'decided' WHERE id = ?", [id]),
    purge: (record) => eraseRows(db, conflictsOf, [record]),
    count: () =>
      db.get<{ n: number }>("SELECT count(*) AS n FROM conflicts WHERE state <> 'decided'")?.n ?? 0,
  }
}
