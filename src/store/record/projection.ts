// Fills what is derived from records (facets, links, text index) behind the writes and before the next read of it.
// Invariant: rows up to `derived_seq` that are not in `stale` are exactly what their records say.
import { citedIds, type FacetName, isEmbeddable, type Kind, type Kinds } from '../../core/kind.ts'
import { type JsonObject, readPath } from '../../core/json/path.ts'
import { type DaybookError, isDaybookError } from '../../core/errors.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { isSealedText } from '../../core/sealed.ts'
import { canonicalTime } from '../../core/time.ts'
import { facetTypes } from '../schema/column.ts'
import type { Settings } from '../schema/settings.ts'
import { textKey } from '../../core/text/text-key.ts'
import { textOf } from '../word/text.ts'

/** Thrown to a read that would have to derive more than it has the patience for. */
export class FarBehind extends Error {
  /** How many records are behind. */
  readonly records: number
  constructor(records: number) {
    super(`${records} records are not derived yet.`)
    this.records = records
  }
}

export interface Projection {
  /** Derives everything that is behind, in transactions of its own. */
  catchUp(): void
  /**
   * Starts `read`, which runs to its first pause at least. If it has to catch up with more than `patience` records by
   * then, it is ended by `FarBehind`, before anything was derived.
   */
  startRead<Result>(read: () => Result, patience: number): Result
  /**
   * For after each commit: while more than `limit` records are behind, derives as many as were written since it was last
   * called, and some. So no flood of writes leaves more than that to the first read.
   */
  keepUp(limit: number): void
  /** The same inside the transaction of a write. */
  catchUpWithin(): void
  /** Derives up to `limit` records; true when more are behind. For idle time. */
  step(limit: number): boolean
  /** Grows whenever derived rows may have changed. */
  generation(): number
  /** Records above this number have no derived rows yet. */
  derivedSeq(): number
  /** How many records are behind. */
  behind(): number
  /** A record at or below `derived_seq` changed. */
  markStale(seq: number): void
  /** New records exist above `derived_seq`. */
  markGrown(): void
  /** True when something may be left to derive. */
  isBehind(): boolean
  /** Tells of each record whose derived rows change that were there before, also when that is then undone. */
  watch(watcher: (seq: number) => void): void
  /** Something beside its derived rows changed that is kept with them in memory. */
  touch(seq: number): void
}

interface Source extends SqlRow {
  readonly seq: number
  readonly id: string
  readonly kind: string
  readonly session: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly deleted: number
  readonly body: string
}

const columns = 'seq, id, kind, session, created_at, updated_at, deleted, body'
const batch = 2000
/** How many more than were written are derived while too many are behind. */
const keepUpSpare = 100
/** Bodies may be large: so many are in memory at once, however many share a transaction. */
const page = 40
const facetColumns = [
  'domain',
  'actor',
  'action',
  'success',
  'subject',
  'confidence',
  'schema',
  'name',
  'importance',
  'pinned',
] as const
const textInsert = (count: number) => {
  const names = Array.from({ length: count }, (_, i) => `t${i}`)
  return `INSERT INTO text_index (rowid, ${names.join(', ')}) VALUES (?, ${names.map(() => '?').join(', ')})`
}

/** `frozen`: nothing can be written, and this is what a read of what is behind ends with. */
export function createProjection(
  db: SqlDatabase,
  kinds: Kinds,
  settings: Settings,
  frozen?: () => DaybookError,
): Projection {
  // Read afresh each time: a transaction that was undone took its advance with it.
  const derivedSeq = () => settings.getNumber('derived_seq')
  // Starts pessimistic: after an unclean end there may be rows to derive.
  let grown = true
  let stale = true
  let generation = 0
  /** Marks since the last `keepUp`, and how many may be behind at most. */
  let marks = 0
  let lagAtMost = Infinity
  let patience = Infinity
  const watchers: ((seq: number) => void)[] = []
  const rowChanged = (seq: number) => {
    for (const watcher of watchers) watcher(seq)
  }

  const write = (row: Source, fresh: boolean) => {
    const kind = kinds.get(row.kind)
    if (!fresh) removeDerived(row, kind)
    if (kind && isShown(row)) derive(row, kind, fresh)
  }

  /** Nothing of a sealed record is derived here: see shelf.ts. */
  const isShown = (row: Source) => row.deleted === 0 && !isSealedText(row.body)

  const removeDerived = (row: Source, kind: Kind | undefined) => {
    const cited = db.all<{ target: string }>('SELECT target FROM links WHERE seq = ? AND supersedes = 1', [
      row.seq,
    ])
    db.run('DELETE FROM links WHERE seq = ?', [row.seq])
    for (const { target } of cited) settleSuperseded(target)
    if (kind && isShown(row)) return
    db.run('DELETE FROM facets WHERE seq = ?', [row.seq])
    db.run('DELETE FROM text_index WHERE rowid = ?', [row.seq])
    rowChanged(row.seq)
  }

  /** Notes since when a record is superseded by one of its kind. If it has no derived rows yet, it asks when it gets them. */
  const settleSuperseded = (id: string) => {
    const seq = db.get<{ seq: number }>('SELECT seq FROM records WHERE id = ?', [id])?.seq
    if (seq === undefined) return
    db.run(
      `UPDATE facets SET superseded_at = (
         SELECT min(g.happened_at) FROM links l JOIN facets g ON g.seq = l.seq
         WHERE l.target = ? AND l.supersedes = 1 AND g.kind = facets.kind)
       WHERE seq = ?`,
      [id, seq],
    )
    rowChanged(seq)
  }

  const derive = (row: Source, kind: Kind, fresh: boolean) => {
    const body = JSON.parse(row.body) as JsonObject
    const happenedAt = textAt(body, kind.facets.happened_at) ?? row.created_at
    const texts = textOf(kind, body, happenedAt)
    const key = textKey(texts)
    const before = fresh
      ? undefined
      : db.get<{ text_key: number }>('SELECT text_key FROM facets WHERE seq = ?', [row.seq])
    const embed = isEmbeddable(kind, body) ? 1 : 0
    const values = facetColumns.map((name) => facetValue(body, name, kind.facets[name]))
    const recallable = kind.recallable?.(body) === false ? 0 : 1
    const expires = textAt(body, kind.expires)
    db.run(
      `INSERT OR REPLACE INTO facets (seq, kind, recallable, created_at, updated_at, session, happened_at,
        ${facetColumns.join(', ')}, text_key, superseded_at, expires_at, embed)
       VALUES (?, ?, ?, ?, ?, ?, ?, ${facetColumns.map(() => '?').join(', ')}, ?, ?, ?, ?)`,
      [
        row.seq,
        row.kind,
        recallable,
        row.created_at,
        row.updated_at,
        row.session,
        happenedAt,
        ...values,
        key,
        null,
        expires === undefined ? null : (canonicalTime(expires) ?? null),
        embed,
      ],
    )
    for (const { path, supersedes = false } of kind.cites ?? []) {
      for (const target of citedIds(body, path)) {
        db.run('INSERT OR IGNORE INTO links (target, seq, path, supersedes) VALUES (?, ?, ?, ?)', [
          target,
          row.seq,
          path,
          Number(supersedes),
        ])
        if (supersedes) settleSuperseded(target)
      }
    }
    if (kind.cites?.some(({ supersedes }) => supersedes)) settleSuperseded(row.id)
    if (!fresh) rowChanged(row.seq)
    if (before?.text_key === key) return
    if (before) db.run('DELETE FROM text_index WHERE rowid = ?', [row.seq])
    if (texts.length > 0) db.run(textInsert(texts.length), [row.seq, ...texts])
  }

  /** Derives up to `limit` records, a page in memory at a time; true when more are behind. */
  const run = (limit: number): boolean => {
    for (let left = limit; left > 0; left -= page) if (!runPage(Math.min(page, left))) return false
    return true
  }

  const runPage = (limit: number): boolean => {
    generation += 1
    if (stale) {
      const rows = db.all<Source>(
        `SELECT ${columns} FROM records WHERE seq IN (SELECT seq FROM stale LIMIT ?)`,
        [limit],
      )
      for (const row of rows) write(row, false)
      for (const row of rows) db.run('DELETE FROM stale WHERE seq = ?', [row.seq])
      if (rows.length === limit) return true
    }
    const from = derivedSeq()
    const rows = db.all<Source>(`SELECT ${columns} FROM records WHERE seq > ? ORDER BY seq LIMIT ?`, [
      from,
      limit,
    ])
    for (const row of rows) write(row, true)
    const last = rows.at(-1)
    if (last) settings.set('derived_seq', last.seq)
    return rows.length === limit
  }

  const step = (limit: number) => {
    if (!stale && !grown) return false
    if (frozen) {
      if (behind() > 0) throw frozen()
      return (stale = grown = false)
    }
    const more = db.transaction(() => run(limit))
    if (!more) stale = grown = false
    return more
  }

  const behind = () => {
    const row = db.get<{ n: number }>(
      'SELECT (SELECT count(*) FROM records WHERE seq > ?) + (SELECT count(*) FROM stale) AS n',
      [derivedSeq()],
    )
    return row?.n ?? 0
  }

  /** Records are numbered without gaps, or nearly: this is quick, and never too low. */
  const countLag = (): number => {
    if (!stale && !grown) return 0
    const row = db.get<{ n: number }>(
      'SELECT (SELECT ifnull(max(seq), 0) FROM records) - ? + (SELECT count(*) FROM stale) AS n',
      [derivedSeq()],
    )
    return row?.n ?? 0
  }

  return {
    step,
    catchUp() {
      const lag = patience === Infinity ? 0 : countLag()
      if (lag > patience) throw new FarBehind(lag)
      // Where there is hardly room, in steps for which the log needs little.
      for (let size = batch; ;) {
        try {
          if (!step(size)) return
        } catch (error) {
          if (size === 1 || !isDaybookError(error, 'storage-full')) throw error
          size = Math.ceil(size / 10)
        }
      }
    },
    startRead(read, most) {
      const before = patience
      patience = most
      try {
        return read()
      } finally {
        patience = before
      }
    },
    keepUp(limit) {
      const written = marks
      marks = 0
      lagAtMost += written
      if (lagAtMost <= limit) return
      lagAtMost = countLag()
      if (lagAtMost > limit) step(written + keepUpSpare)
    },
    catchUpWithin() {
      // The flags stay up: if the transaction around is undone, so is this.
      if (stale || grown) while (run(batch));
    },
    generation: () => generation,
    derivedSeq: () => settings.getNumber('derived_seq'),
    behind,
    markStale(seq) {
      stale = true
      marks += 1
      if (seq <= derivedSeq()) db.run('INSERT OR IGNORE INTO stale (seq) VALUES (?)', [seq])
    },
    markGrown() {
      grown = true
      marks += 1
    },
    isBehind: () => stale || grown,
    watch(watcher) {
      watchers.push(watcher)
    },
    touch: (seq) => rowChanged(seq),
  }
}

function textAt(body: JsonObject, path: string | undefined): string | undefined {
  const value = path === undefined ? undefined : readPath(body, path)
  return typeof value === 'string' ? value : undefined
}

/** What a hot column holds: a value of its type, booleans as 0 or 1. Anything else is found in the JSON alone. */
function facetValue(body: JsonObject, name: FacetName, path: string | undefined): SqlValue {
  const value = path === undefined ? undefined : readPath(body, path)
  switch (facetTypes[name]) {
    case 'boolean':
      return typeof value === 'boolean' ? Number(value) : null
    case 'number':
      return typeof value === 'number' ? value : null
    case 'text':
      // Binding would replace half a character, and the column would say what the record does not.
      return typeof value === 'string' && value.isWellFormed() ? value : null
  }
}
