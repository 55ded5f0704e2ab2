// The recalls and contexts that were asked of this copy of a book, as they were asked: in no bundle and in no sync.
// Invariant: from the transaction on in which a record is forgotten, becomes sensitive or is to be told anew, no entry has words
// that it may have lent: neither one that recalled it, nor one whose question quotes it.
import type { Accessor } from '../../core/capability/access-log.ts'
import { activityKeep, type ActivityNote, type LostReason } from '../../core/capability/activity.ts'
import { collectText } from '../../core/kind.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import type { Bodies } from '../record/bodies.ts'
import type { RecordRow } from '../schema/record-row.ts'
import { type ActivityWords, createActivityWords, type KeptWords } from './activity-words.ts'
import { createQuotedQuestions, type QuotedQuestions } from './quoted-question.ts'

export interface NewActivity {
  readonly who: Accessor
  readonly at: string
  readonly capability: string
  readonly purpose?: string | undefined
  /** Milliseconds. */
  readonly took: number
  readonly note: ActivityNote
  /** What `covered` was before it was answered. */
  readonly covered: number
}

/** More than this wait only where nothing can be written; the oldest are let go of. */
const waitingLimit = 1000

const insert = `INSERT INTO activity
  (n, at, sort, capability, caller, "by", id, purpose, took, tokens, found, hits, lost, size, asked, packed)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const recalledSql = 'SELECT r.id, r.seq, r.rev FROM json_each(?) j JOIN records r ON r.id = j.value'
const insertHits = 'INSERT OR IGNORE INTO activity_hits (seq, n) SELECT value, ? FROM json_each(?)'
const loseSql = `UPDATE activity SET asked = NULL, packed = NULL, size = 0, lost = ? WHERE asked IS NOT NULL AND`
const isSealedSql = `substr(asked, 1, 1) = '['`

export class ActivityLog {
  /** Called after a commit that wrote entries. */
  onWritten: ((count: number) => void) | undefined
  readonly words: ActivityWords
  readonly #db: SqlDatabase
  readonly #bodies: Bodies
  #waiting: NewActivity[] = []
  #written = 0
  #covered = 0
  #quoted: { readonly questions: QuotedQuestions; readonly isOpen: boolean } | undefined

  constructor(db: SqlDatabase, bodies: Bodies) {
    this.#db = db
    this.#bodies = bodies
    this.words = createActivityWords(bodies)
  }

  /** Keeps an entry until the next commit. */
  gather(entry: NewActivity): void {
    this.#waiting.push(entry)
    if (this.#waiting.length > waitingLimit) this.#waiting = this.#waiting.slice(-waitingLimit)
  }

  waiting(): number {
    return this.#waiting.length
  }

  /** How often words were covered so far: what was found before may be gone by the time it is gathered. */
  covered(): number {
    return this.#covered
  }

  /** The write queue has begun a transaction: what waits is written ahead of what may forget it. */
  begin(): void {
    this.#written = this.#waiting.length
    if (this.#written === 0) return
    let n = this.#db.get<{ n: number | null }>('SELECT max(n) AS n FROM activity')?.n ?? 0
    try {
      for (const entry of this.#waiting) this.#write(entry, ++n)
    } catch (error) {
      // What can't be written must not stand in the way of others.
      this.#waiting = []
      this.#written = 0
      throw error
    }
  }

  committed(): void {
    const count = this.#written
    if (count === 0) return
    this.#waiting = this.#waiting.slice(count)
    this.#written = 0
    this.onWritten?.(count)
  }

  /** What `row` says must not stay anywhere. Inside a transaction. */
  cover(row: RecordRow): void {
    this.#covered += 1
    this.#lose('n IN (SELECT n FROM activity_hits WHERE seq = ?)', row.seq)
    const body = this.#bodies.read(row, row.body)
    // What can't be read now may quote it, and nobody could tell later.
    if (!body || !this.words.isOpen()) this.#lose(isSealedSql)
    for (const n of this.#questions().find(body ? collectText(body) : [])) this.#lose('n = ?', n)
  }

  /** Seals at most `limit` entries that are in clear, or under another key; answers how many it found. */
  sealAnew(limit: number): number {
    const start = this.words.sealedStart()
    if (start === undefined) return 0
    const rows = this.#db.all<{ n: number; asked: string; packed: string | null }>(
      'SELECT n, asked, packed FROM activity WHERE asked IS NOT NULL AND substr(asked, 1, ?) <> ? ORDER BY n LIMIT ?',
      [start.length, start, limit],
    )
    for (const { n, asked, packed } of rows) {
      const { lost, ...next } = this.words.again(n, { asked, packed })
      if (lost) this.#lose('n = ?', n, lost)
      else this.#db.run('UPDATE activity SET asked = ?, packed = ? WHERE n = ?', [next.asked, next.packed, n])
    }
    return rows.length
  }

  /** Removes what is older than `since` or more than is kept, the oldest first. Inside a transaction. */
  sweep(since: string): void {
    const { n: last } = this.#db.get<{ n: number | null }>('SELECT max(n) AS n FROM activity') ?? {}
    if (last == null) return
    this.#db.run('DELETE FROM activity WHERE at < ? OR n <= ?', [since, last - activityKeep.rows])
    this.#lose(
      `n <= (SELECT max(n) FROM (SELECT n, sum(size) OVER (ORDER BY n DESC) AS characters FROM activity)
       WHERE characters > ?)`,
      activityKeep.characters,
      'size',
    )
    this.#db.run('DELETE FROM activity_hits WHERE n NOT IN (SELECT n FROM activity)')
    this.#quoted = undefined
  }

  #write({ note, who, ...entry }: NewActivity, n: number): void {
    const ids = JSON.stringify(note.hits.map(({ id }) => id))
    const recalled = this.#db.all<{ id: string; seq: number; rev: number }>(recalledSql, [ids])
    const versions = new Map(recalled.map(({ id, rev }) => [id, rev]))
    const hits = note.hits.map(({ id, kind, score }) => [id, kind, rounded(score), versions.get(id) ?? 0])
    const words: KeptWords =
      entry.covered === this.#covered
        ? this.words.keep(n, note)
        : { asked: null, packed: null, lost: 'forgotten' }
    this.#db.run(insert, [
      n,
      entry.at,
      note.sort,
      entry.capability,
      who.caller,
      who.by,
      who.id ?? null,
      entry.purpose ?? null,
      entry.took,
      note.packed?.tokens ?? null,
      hits.length,
      JSON.stringify(hits),
      words.lost ?? null,
      (words.asked?.length ?? 0) + (words.packed?.length ?? 0),
      words.asked,
      words.packed,
    ])
    if (hits.length > 0) this.#db.run(insertHits, [n, JSON.stringify(recalled.map(({ seq }) => seq))])
    if (words.asked !== null) this.#quoted?.questions.add(n, note.asked.text)
  }

  #lose(condition: string, value?: number, reason: LostReason = 'forgotten'): void {
    this.#db.run(`${loseSql} ${condition}`, value === undefined ? [reason] : [reason, value])
  }

  /** Made when something is first forgotten, and again when other entries can be read. */
  #questions(): QuotedQuestions {
    const isOpen = this.words.isOpen()
    if (this.#quoted?.isOpen === isOpen) return this.#quoted.questions
    const questions = createQuotedQuestions()
    this.#quoted = { questions, isOpen }
    const rows = this.#db.all<{ n: number; asked: string }>(
      'SELECT n, asked FROM activity WHERE asked IS NOT NULL',
    )
    for (const { n, asked } of rows) {
      const said = this.words.asked(n, asked)
      if (said) questions.add(n, said.text)
    }
    return questions
  }
}

const rounded = (score: number) => Math.round(score * 10_000) / 10_000
