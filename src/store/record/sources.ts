// Which records were made from which, kept with every write, and what becomes of those whose source is gone.
// Invariant: a record stands in `outdated` from the transaction in which a source of it is forgotten, outdated itself, or
// more sensitive than it, to the one in which it no longer names such a source. So no crash comes between, and nothing of
// what it said before is left in its history, its conflicts, its vector or a stored answer that names it.
import { awaitedKeys, goingIds, sourceIds, type Kind, type Kinds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../../core/ports.ts'
import { isLowered, isSealedText, isSealing, type SealedOwner, type Sensitivity } from '../../core/sealed.ts'
import { textKey } from '../../core/text/text-key.ts'
import { sourcesKey } from '../schema/derived.ts'
import { type RecordRow, recordColumns } from '../schema/record-row.ts'
import type { Settings } from '../schema/settings.ts'
import type { Bodies } from './bodies.ts'
import { Guards } from './guards.ts'
import { goneMark, foundSources, SourceLinks } from './source-links.ts'
import { scrubDue } from './cover-clear-text.ts'
import { createWordCover, type WordCover } from './cover-words.ts'
import { conflictsOf, eraseAnswers, eraseRows, historyOf, vectorOf } from './erase-rows.ts'

/** `own`: it was changed by a call here; `heard`: elsewhere; `taken`: all that follows from it comes with it. */
export type ChangeOrigin = 'own' | 'heard' | 'taken'

/** A record that is to be told anew, and can be: its sources are up to date and its body can be read. */
export interface OutdatedRecord {
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly rev: number
  /** True where the source went on another device, which is likely to tell it anew itself. */
  readonly isHeard: boolean
}

export interface SourcesParts {
  readonly db: SqlDatabase
  readonly kinds: Kinds
  readonly settings: Settings
  readonly bodies: Bodies
  /** A record has become outdated: what was derived from it goes. */
  onOutdated(row: RecordRow): void
  /** One more source of the record in `row` was found. */
  onLinked(row: RecordRow): void
  /** Forgets a record that stands and falls with its sources, at the instant `at`. */
  forget(row: RecordRow, at: string): void
}

/** Why a record is outdated. */
interface Outdated {
  readonly isGone: boolean
  /** It is nothing without what is gone. */
  readonly goes?: boolean
  readonly origin: ChangeOrigin
  readonly at: string
}

interface SourceState extends SqlRow {
  readonly kind: string
  readonly deleted: number
  readonly sensitivity: string | null
  readonly outdated: number
}

const rowSql = `SELECT ${recordColumns} FROM records r WHERE r.seq = ?`
/** What may be told anew now: nothing that it was made from is itself to be told anew. */
const waitingSql = `SELECT ${recordColumns}, o.is_heard FROM outdated o JOIN records r ON r.seq = o.seq
  WHERE r.deleted = 0 AND NOT EXISTS (SELECT 1 FROM sources s JOIN records t ON t.id = s.source
    JOIN outdated p ON p.seq = t.seq WHERE s.seq = o.seq) ORDER BY o.seq LIMIT ?`

/** A source may have been purged long before what was made from it came. */
const outdateSql = `INSERT INTO outdated (seq, is_gone, is_heard, is_purged)
  SELECT ?, ?, ?, EXISTS (SELECT 1 FROM sources s JOIN records r ON r.id = s.source
    LEFT JOIN outdated o ON o.seq = r.seq WHERE s.seq = ? AND (o.is_purged = 1 OR (r.deleted = 1 AND r.purged > 0 AND r.purged >= r.gone)))
  WHERE true ON CONFLICT (seq) DO UPDATE SET is_gone = excluded.is_gone, is_purged = excluded.is_purged`
const purgedSql = `WITH RECURSIVE made (seq) AS (SELECT seq FROM sources WHERE source = ?
    UNION SELECT s.seq FROM made JOIN records r ON r.seq = made.seq JOIN sources s ON s.source = r.id)
  UPDATE outdated SET is_purged = 1 WHERE seq IN (SELECT seq FROM made)`

export class Sources {
  readonly #parts: SourcesParts
  readonly #db: SqlDatabase
  /** What stands in the table, and what is found by keys. */
  readonly links: SourceLinks
  /** Which records follow others in their sensitivity alone. */
  readonly guards: Guards
  /** Words of what is gone, beside the records that were made of it. */
  readonly words: WordCover

  constructor(parts: SourcesParts) {
    this.#parts = parts
    this.#db = parts.db
    this.links = new SourceLinks(parts)
    this.guards = new Guards(parts)
    this.words = createWordCover(parts)
  }

  /** Fills the tables anew where they are new or a kind declares its sources otherwise. At opening. */
  prepare(): void {
    const { settings } = this.#parts
    const made = this.#madeKinds()
    this.#db.transaction(() => this.guards.prepare())
    const declared = textKey(made.flatMap(({ name, version }) => [name, String(version)]))
    if (settings.getNumber(sourcesKey) === declared) return this.#prepareAwaiting()
    this.#db.transaction(() => {
      this.#db.run('DELETE FROM sources')
      for (const row of this.#rowsOf(made, '1')) this.#note(row, 'heard')
      settings.set(sourcesKey, declared)
    })
  }

  /** What an earlier Daybook wrote, or with other keys, has found nothing yet. */
  #prepareAwaiting(): void {
    const all = `SELECT DISTINCT seq FROM sources WHERE source >= '!' AND source < '"'`
    if (this.links.awaitsSome() || this.#db.get(`${all} LIMIT 1`) === undefined) return
    this.#db.transaction(() => this.#noteAnew(all))
  }

  /** A row has left the table by another way than a forget. */
  removed(seq: number): void {
    this.#clear(seq)
    this.links.awaited.removed(seq)
    this.guards.removed(seq)
  }

  #clear(seq: number): void {
    this.#db.run('DELETE FROM sources WHERE seq = ?', [seq])
    this.#db.run('DELETE FROM outdated WHERE seq = ?', [seq])
  }

  /** Takes in the sealed records that can be read now and could not be before. Inside a transaction. */
  takeOpened(): void {
    const rows = this.#rowsOf(
      this.#madeKinds(),
      'r.kid IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sources s WHERE s.seq = r.seq)',
    )
    for (const row of rows) this.#note(row, 'heard')
    this.#noteAnew('SELECT DISTINCT s.seq FROM json_each(?) j JOIN sources s ON s.source = j.value', [
      JSON.stringify(this.links.awaited.sealedKeys()),
    ])
  }

  /** Notes anew the live records whose numbers `sql` answers as `seq`, as far as they can be read. */
  #noteAnew(sql: string, params: readonly SqlValue[] = []): void {
    for (const { seq } of this.#db.all<{ seq: number }>(sql, params)) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row?.deleted === 0 && this.#isReadable(row)) this.#note(row, 'heard')
    }
  }

  /** The record stands as `row` says now. Inside the transaction that writes it. */
  written(row: RecordRow, before: RecordRow | undefined, origin: ChangeOrigin): void {
    const isMade = [row, before].some((one) => one && this.#parts.kinds.get(one.kind)?.madeFrom)
    if (isMade) this.#note(row, origin)
    this.guards.written(row, before)
    this.links.findMade(row)
    // What is new was the source of something only if that came before it.
    if (before || row.deleted === 1 || row.sensitivity !== null) this.#tell(row, origin)
    if (before && row.deleted === 1) this.#tellAwaiting(before, row, origin)
  }

  /** Whether it waits to be told anew, because a source is gone or more sensitive than it. */
  isOutdated(seq: number): boolean {
    return this.#db.get('SELECT 1 FROM outdated WHERE seq = ?', [seq]) !== undefined
  }

  /**
   * What must not stay of what `before` says beside `row`, which is written over it: it may quote what was forgotten, or has words
   * that `row` takes back. Then the versions before it are covered or removed here. `left` is what may stay of it all the same;
   * undefined where all of it may.
   */
  leaving(before: RecordRow, row: RecordRow): { readonly left?: string | undefined } | undefined {
    const after = this.#takenBack(before, row)
    if (after) {
      // What it was may have been purged, elsewhere too and long ago.
      this.#parts.settings.set(scrubDue, 1)
      const { words } = this
      if (this.#parts.kinds.get(row.kind)?.withoutGone) words.cover(before, after)
      else this.#removeEarlier(before)
      return { left: words.left(before, before.body, after) }
    }
    const isGone = this.#db.get('SELECT 1 FROM outdated WHERE seq = ? AND is_gone = 1', [row.seq])
    return isGone && {}
  }

  /** True for a body that was made from what is gone now. */
  quotesGone({ kind: name, id }: SealedOwner, body: JsonObject): boolean {
    const kind = this.#parts.kinds.get(name)
    return (
      kind !== undefined && isFollowing(kind) && this.#states(this.idsOf(kind, body, id)).some(isGoneState)
    )
  }

  /** How sensitive a body of `kind` is at least: as the most sensitive record that it was made from. */
  level(kind: Kind, body: JsonObject, id: string): Sensitivity | undefined {
    if (!kind.madeFrom || kind.madeFrom.neverSealed) return undefined
    if (awaitedKeys(kind, body).length > 0) this.links.awaited.begin()
    return this.#states(this.idsOf(kind, body, id))
      .filter(({ deleted }) => deleted === 0)
      .map((state) => this.#sensitivityOf(state))
      .reduce((most, one) => (isLowered(most, one) ? one : most), undefined)
  }

  /** The ids of all that `body`, of the record `id`, was made from: those that it names, and those here that it knows by a key. */
  idsOf(kind: Kind, body: JsonObject, id: string): string[] {
    const found = this.links.find(id, awaitedKeys(kind, body))
    return [...new Set([...sourceIds(kind, body, id), ...found.map((one) => one.id)])]
  }

  /** The live records that were made from `id`, and may quote it; `isMeant` chooses among their kinds. */
  madeOf(id: string, isMeant: (kind: Kind) => boolean = () => true): RecordRow[] {
    const names = this.#madeKinds()
      .filter((kind) => isFollowing(kind) && isMeant(kind))
      .map(({ name }) => name)
    return this.#db.all<RecordRow>(
      `SELECT ${recordColumns} FROM sources s JOIN records r ON r.seq = s.seq
       WHERE s.source = ? AND s.kind IN (SELECT value FROM json_each(?)) AND r.deleted = 0 ORDER BY s.seq`,
      [id, JSON.stringify(names)],
    )
  }

  /** The live records that are forgotten and purged with `id`, and those that go with them. */
  goingWith(id: string): RecordRow[] {
    const going = new Map<string, RecordRow>()
    const waiting = [id]
    for (let source = waiting.pop(); source !== undefined; source = waiting.pop()) {
      for (const made of this.madeOf(source)) {
        if (made.id === id || going.has(made.id) || !this.#isGoingWith(made, source)) continue
        going.set(made.id, made)
        waiting.push(made.id)
      }
    }
    return [...going.values()]
  }

  /** `id` was removed for good: so is, from the files too, what is told anew because of it. Inside a transaction. */
  purged(id: string): void {
    this.#db.run(purgedSql, [id])
  }

  /** At most `limit` of the records that can be told anew now. */
  waiting(limit: number): OutdatedRecord[] {
    const { bodies } = this.#parts
    return this.#db
      .all<RecordRow & { is_heard: number }>(waitingSql, [limit])
      .filter((row) => bodies.open(row, row.body) !== undefined)
      .map(({ id, kind, agent, rev, is_heard }) => ({ id, kind, agent, rev, isHeard: is_heard === 1 }))
  }

  /** Notes what the record in `row` was made from, and whether it is outdated. */
  #note(row: RecordRow, origin: ChangeOrigin): void {
    const { kinds, bodies, settings } = this.#parts
    const { seq } = row
    const was = this.#db.get<{ is_purged: number }>('SELECT is_purged FROM outdated WHERE seq = ?', [seq])
    const kind = kinds.get(row.kind)
    const body = row.deleted === 1 || !kind?.madeFrom ? undefined : bodies.read(row, row.body)
    const keys = kind && body ? awaitedKeys(kind, body) : []
    if (keys.length > 0) this.links.awaited.begin()
    const gone = this.links.goneKeys(row.id).filter((key) => keys.includes(key))
    const found = this.links.find(row.id, keys)
    this.#clear(seq)
    if (was?.is_purged === 1) settings.set(scrubDue, 1)
    if (!kind || !body) return
    const ids = sourceIds(kind, body, row.id)
    this.links.add(row, [
      ...ids,
      ...keys,
      ...gone.map((key) => goneMark + key),
      ...found.flatMap(foundSources),
    ])
    if (!isFollowing(kind)) return
    const states = this.#states([...new Set([...ids, ...found.map(({ id }) => id)])])
    const own = this.#sensitivityOf(row)
    const isGone = gone.length > 0 || states.some(isGoneState)
    const isCovered = states.some((state) => isLessGuarded(own, this.#sensitivityOf(state)))
    if (isGone || isCovered) this.#outdate(row, { isGone, origin, at: row.updated_at })
  }

  /** Tells those that were made from the record in `row` what has become of it. */
  #tell(row: RecordRow, origin: ChangeOrigin): void {
    const isGone = row.deleted === 1
    // Most changes are neither, and what a record was made into may be large.
    const isFar = isGone || isSealing(this.#sensitivityOf(row))
    for (const made of this.madeOf(row.id, ({ madeFrom }) => isFar || madeFrom?.anew === undefined)) {
      const isCovered = isLessGuarded(this.#sensitivityOf(made), this.#sensitivityOf(row))
      const { anew, neverSealed = false } = this.#parts.kinds.get(made.kind)?.madeFrom ?? {}
      const isFirm = anew !== undefined
      const isEnded = isGone ? this.#isGoingWith(made, row.id) : isCovered && neverSealed
      const goes = origin === 'own' && isEnded
      if (isGone || isCovered || !isFirm) this.#outdate(made, { isGone, goes, origin, at: row.updated_at })
    }
  }

  /** Tells those that were made from what was in `before`, and never heard that it was a record. */
  #tellAwaiting(before: RecordRow, row: RecordRow, origin: ChangeOrigin): void {
    for (const [key, made] of this.links.awaitsSome() ? this.links.awaiting(before) : []) {
      this.links.add(made, [goneMark + key, row.id])
      this.#outdate(made, { isGone: true, origin, at: row.updated_at })
    }
  }

  #outdate(row: RecordRow, { isGone, goes = false, origin, at }: Outdated): void {
    const { seq, id } = row
    if (this.#parts.kinds.get(row.kind)?.madeFrom?.reachOnly === true) return
    if (goes || this.#parts.kinds.get(row.kind)?.madeFrom?.anew === undefined) {
      if (origin !== 'taken') this.#parts.forget(row, at)
      return
    }
    const known = this.#db.get<{ is_gone: number }>('SELECT is_gone FROM outdated WHERE seq = ?', [seq])
    if (known && (known.is_gone === 1 || !isGone)) return
    this.#db.run(outdateSql, [seq, Number(isGone), Number(origin === 'heard'), seq])
    eraseRows(this.#db, vectorOf, [seq])
    if (isGone && origin !== 'taken') this.#removeEarlier(row)
    this.#parts.onOutdated(row)
    // Whatever was made from it may quote the same.
    for (const made of this.madeOf(id)) this.#outdate(made, { isGone, origin, at })
  }

  #isGoingWith(made: RecordRow, id: string): boolean {
    const kind = this.#parts.kinds.get(made.kind)
    const body = kind && this.#parts.bodies.read(made, made.body)
    if (!kind || !body) return kind?.madeFrom?.anew === undefined
    return goingIds(kind, body, made.id).includes(id)
  }

  /** What `row` says where it takes words of `before` back. */
  #takenBack(before: RecordRow, row: RecordRow): JsonObject | undefined {
    const { kinds, bodies } = this.#parts
    const kind = row.deleted === 0 && before.deleted === 0 ? kinds.get(row.kind) : undefined
    const was = kind?.takesBack && bodies.read(before, before.body)
    const is = was && bodies.read(row, row.body)
    return is && kind?.takesBack?.(was, is) ? is : undefined
  }

  #removeEarlier({ seq, id }: RecordRow): void {
    eraseRows(this.#db, historyOf, [seq])
    eraseRows(this.#db, conflictsOf, [id])
    eraseAnswers(this.#db, id)
  }

  /** How these sources stand, as far as they are here. */
  #states(ids: readonly string[]): SourceState[] {
    if (ids.length === 0) return []
    return this.#db.all<SourceState>(
      `SELECT r.kind, r.deleted, r.sensitivity,
         EXISTS (SELECT 1 FROM outdated o WHERE o.seq = r.seq AND o.is_gone = 1) AS outdated
       FROM json_each(?) j JOIN records r ON r.id = j.value`,
      [JSON.stringify(ids)],
    )
  }

  #sensitivityOf({ kind, sensitivity }: Pick<RecordRow, 'kind' | 'sensitivity'>): Sensitivity | undefined {
    return (sensitivity ?? this.#parts.kinds.get(kind)?.sensitivity) as Sensitivity | undefined
  }

  #madeKinds(): Kind[] {
    return [...this.#parts.kinds.values()].filter(({ madeFrom }) => madeFrom !== undefined)
  }

  /** The live records of `made` that `condition` is true for. One at a time: their bodies may be large. */
  *#rowsOf(made: readonly Kind[], condition: string): Generator<RecordRow> {
    const seqs = this.#db.all<{ seq: number }>(
      `SELECT r.seq FROM records r WHERE r.kind IN (SELECT value FROM json_each(?)) AND r.deleted = 0 AND ${condition}`,
      [JSON.stringify(made.map(({ name }) => name))],
    )
    for (const { seq } of seqs) {
      const row = this.#db.get<RecordRow>(rowSql, [seq])
      if (row && this.#isReadable(row)) yield row
    }
  }

  #isReadable(row: RecordRow): boolean {
    return !isSealedText(row.body) || this.#parts.bodies.open(row, row.body) !== undefined
  }
}

/** True for kinds whose records may quote their sources. */
function isFollowing({ madeFrom }: Kind): boolean {
  return madeFrom !== undefined && madeFrom.reachOnly !== true
}

/** True where a source is sealed and what was made from it is not, or less strictly. */
function isLessGuarded(made: Sensitivity | undefined, source: Sensitivity | undefined): boolean {
  return isSealing(source) && isLowered(made, source)
}

function isGoneState({ deleted, outdated }: SourceState): boolean {
  return deleted === 1 || outdated === 1
}
