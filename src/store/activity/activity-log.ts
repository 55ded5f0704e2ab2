// The activity log: recalls and contexts of this copy of a book, with their questions. No bundle and no sync
// includes it.
// Invariant: the transaction that forgets, seals or outdates a record removes the texts of all entries that recalled
// the record or whose question quotes it.
import type { Accessor } from '../../core/capability/access-log.ts'
import { activityKeep, type ActivityNote, type MissingReason } from '../../core/capability/activity.ts'
import { collectText } from '../../core/kind.ts'
import type { SqlDatabase } from '../../core/ports.ts'
import { roundKey } from '../../core/text/text-key.ts'
import type { Bodies } from '../record/bodies.ts'
import type { RecordRow } from '../schema/record-row.ts'
import { type ActivityTexts, createActivityTexts, type StoredTexts } from './activity-text.ts'

export interface NewActivity {
  readonly accessor: Accessor
  readonly at: string
  readonly capability: string
  readonly purpose?: string | undefined
  /** How long the call took, in milliseconds. */
  readonly durationMs: number
  /** The question, the hits (id, kind, score) and, for a context, its text and tokens. */
  readonly note: ActivityNote
  /** The value of `ActivityLog.erasureCount()` before the call read records. */
  readonly erasureCount: number
}

/** Most entries that wait for a commit. More wait only while writes fail: then the oldest are dropped. */
const maxQueuedEntries = 1000

const insert = `INSERT INTO activity
  (n, at, sort, capability, caller, "by", id, purpose, duration_ms, tokens, found, hits, missing, size, question, context)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
const recalledRowsSql = 'SELECT r.id, r.seq, r.rev FROM json_each(?) j JOIN records r ON r.id = j.value'
const insertHits = 'INSERT OR IGNORE INTO activity_hits (seq, n) SELECT value, ? FROM json_each(?)'
const removeTextsSql = `UPDATE activity SET question = NULL, context = NULL, size = 0, missing = ? WHERE question IS NOT NULL AND`
const isSealedSql = `substr(question, 1, 1) = '['`

/** Entries that one transaction seals again. */
export const resealBatch = 100

/** `begin` and `committed` are hooks of the write queue: see `TransactionHooks` in write-queue.ts. */
export class ActivityLog {
  /** Runs after a commit that wrote entries, with their count. */
  onWritten: ((count: number) => void) | undefined
  readonly texts: ActivityTexts
  readonly #db: SqlDatabase
  readonly #bodies: Bodies
  #queue: NewActivity[] = []
  /** How many queued entries the open transaction writes. */
  #flushedCount = 0
  #erasureCount = 0
  /** `isOpen`: the texts were unlocked when it was built. Undefined: not built yet. */
  #questionIndex: { readonly questions: QuestionIndex; readonly isOpen: boolean } | undefined

  constructor(db: SqlDatabase, bodies: Bodies) {
    this.#db = db
    this.#bodies = bodies
    this.texts = createActivityTexts(bodies)
  }

  /** Queues an entry for the next commit. */
  enqueue(entry: NewActivity): void {
    this.#queue.push(entry)
    if (this.#queue.length > maxQueuedEntries) this.#queue = this.#queue.slice(-maxQueuedEntries)
  }

  /** How many entries wait for a commit. */
  queueLength(): number {
    return this.#queue.length
  }

  /** How often `eraseRecord` ran. When it ran between a call and its entry, the entry is stored without texts. */
  erasureCount(): number {
    return this.#erasureCount
  }

  /** Writes the waiting entries at the start of a transaction, before the transaction can forget their records. */
  begin(): void {
    this.#flushedCount = this.#queue.length
    if (this.#flushedCount === 0) return
    let n = this.#db.get<{ n: number | null }>('SELECT max(n) AS n FROM activity')?.n ?? 0
    try {
      for (const entry of this.#queue) this.#write(entry, ++n)
    } catch (error) {
      // Drop entries that can't be written: they must not block other writes.
      this.#queue = []
      this.#flushedCount = 0
      throw error
    }
  }

  committed(): void {
    const count = this.#flushedCount
    if (count === 0) return
    this.#queue = this.#queue.slice(count)
    this.#flushedCount = 0
    this.onWritten?.(count)
  }

  /** Removes all texts that may come from the record in `row`. Call it inside a transaction. */
  eraseRecord(row: RecordRow): void {
    this.#erasureCount += 1
    this.#removeTexts('n IN (SELECT n FROM activity_hits WHERE seq = ?)', row.seq)
    const body = this.#bodies.read(row, row.body)
    // An entry that can't be decrypted may quote the record.
    if (!body || !this.texts.isUnlocked()) this.#removeTexts(isSealedSql)
    for (const n of this.#openQuestionIndex().find(body ? collectText(body) : []))
      this.#removeTexts('n = ?', n)
  }

  /**
   * Seals up to `limit` entries that are in clear or under another key. Returns how many it found; 0 without a key.
   */
  reseal(limit: number): number {
    const prefix = this.texts.sealedPrefix()
    if (prefix === undefined) return 0
    const rows = this.#db.all<{ n: number; question: string; context: string | null }>(
      'SELECT n, question, context FROM activity WHERE question IS NOT NULL AND substr(question, 1, ?) <> ? ORDER BY n LIMIT ?',
      [prefix.length, prefix, limit],
    )
    for (const { n, ...stored } of rows) {
      // `missing`: the key of a text is not here, so the texts are removed.
      const { missing, ...next } = this.texts.reseal(n, stored)
      if (missing) this.#removeTexts('n = ?', n, missing)
      else
        this.#db.run('UPDATE activity SET question = ?, context = ? WHERE n = ?', [
          next.question,
          next.context,
          n,
        ])
    }
    return rows.length
  }

  /** Removes entries before `since` and beyond `activityKeep`, the oldest first. Call it inside a transaction. */
  prune(since: string): void {
    const { n: last } = this.#db.get<{ n: number | null }>('SELECT max(n) AS n FROM activity') ?? {}
    if (last == null) return
    this.#db.run('DELETE FROM activity WHERE at < ? OR n <= ?', [since, last - activityKeep.rows])
    this.#removeTexts(
      `n <= (SELECT max(n) FROM (SELECT n, sum(size) OVER (ORDER BY n DESC) AS characters FROM activity)
       WHERE characters > ?)`,
      activityKeep.characters,
      'size',
    )
    this.#db.run('DELETE FROM activity_hits WHERE n NOT IN (SELECT n FROM activity)')
    this.#questionIndex = undefined
  }

  #write({ note, accessor, ...entry }: NewActivity, n: number): void {
    const ids = JSON.stringify(note.hits.map(({ id }) => id))
    const recalled = this.#db.all<{ id: string; seq: number; rev: number }>(recalledRowsSql, [ids])
    const versions = new Map(recalled.map(({ id, rev }) => [id, rev]))
    // Read by activity-page.ts. Version 0: the record is gone.
    const hits = note.hits.map(({ id, kind, score }) => [id, kind, rounded(score), versions.get(id) ?? 0])
    const texts: StoredTexts =
      entry.erasureCount === this.#erasureCount
        ? this.texts.toStored(n, note)
        : { question: null, context: null, missing: 'forgotten' }
    this.#db.run(insert, [
      n,
      entry.at,
      note.sort,
      entry.capability,
      accessor.caller,
      accessor.by,
      accessor.id ?? null,
      entry.purpose ?? null,
      entry.durationMs,
      note.context?.tokens ?? null,
      hits.length,
      JSON.stringify(hits),
      texts.missing ?? null,
      (texts.question?.length ?? 0) + (texts.context?.length ?? 0),
      texts.question,
      texts.context,
    ])
    if (hits.length > 0) this.#db.run(insertHits, [n, JSON.stringify(recalled.map(({ seq }) => seq))])
    if (texts.question !== null) this.#questionIndex?.questions.add(n, note.question.text)
  }

  /** Removes the texts of the entries that match. `value`: the parameter of `condition`. */
  #removeTexts(condition: string, value?: number, reason: MissingReason = 'forgotten'): void {
    this.#db.run(`${removeTextsSql} ${condition}`, value === undefined ? [reason] : [reason, value])
  }

  /** The index of questions. Built at the first `eraseRecord`, and again when entries become readable or unreadable. */
  #openQuestionIndex(): QuestionIndex {
    const isOpen = this.texts.isUnlocked()
    if (this.#questionIndex?.isOpen === isOpen) return this.#questionIndex.questions
    const questions = createQuestionIndex()
    this.#questionIndex = { questions, isOpen }
    const rows = this.#db.all<{ n: number; question: string }>(
      'SELECT n, question FROM activity WHERE question IS NOT NULL',
    )
    for (const row of rows) {
      const question = this.texts.question(row.n, row.question)
      if (question) questions.add(row.n, question.text)
    }
    return questions
  }
}

const rounded = (score: number) => Math.round(score * 10_000) / 10_000

/**
 * Finds questions that quote a record: users often store the text that they just searched for.
 * Invariant: it compares whole texts and their sentences, apart from case and punctuation. It finds a
 * question that has one of these in common with a text of the record.
 */
interface QuestionIndex {
  add(n: number, question: string): void
  /** The numbers of entries whose question may quote one of `texts`. */
  find(texts: readonly string[]): number[]
}

function createQuestionIndex(): QuestionIndex {
  const byKey = new Map<number, number[]>()
  return {
    add(n, question) {
      for (const key of sentenceKeys(question)) {
        const entries = byKey.get(key)
        if (entries) entries.push(n)
        else byKey.set(key, [n])
      }
    },
    find: (texts) => [
      ...new Set(texts.flatMap((text) => [...sentenceKeys(text)].flatMap((key) => byKey.get(key) ?? []))),
    ],
  }
}

const sentenceEnd = /[.!?;…。！？\n\r]+/u
const word = /[\p{L}\p{N}\p{M}]+/gu

/** Hashes of a whole text and of each of its sentences. */
function sentenceKeys(text: string): Set<number> {
  const parts = [text, ...text.split(sentenceEnd)].map((part) =>
    (part.toLowerCase().match(word) ?? []).join(' '),
  )
  return new Set(parts.filter((part) => part !== '').map((part) => roundKey(part, 0)))
}
