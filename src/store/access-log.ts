// The log of calls at this copy of a book, with caller and outcome. No bundle and no sync includes it.
// Invariant: an entry of `addToTransaction` is stored exactly if its transaction is. An entry of `enqueue` stays in the
// queue until a commit stores it.
import {
  type AccessEntry,
  type AccessQuery,
  accessKeep,
  type CallerSort,
} from '../core/capability/access-log.ts'
import { sameOrDelegate } from '../core/access/grant.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../core/ports.ts'
import type { TransactionHooks } from './write-queue.ts'

/**
 * `caller`: the agent of the call; `by`: its credential's sort; `id`: of its token or key. `outcome`: `ok` or the error
 * code. `kinds` and `count`: of the records that a write changed, or that a guest's read returned.
 */
export type NewAccessEntry = Omit<AccessEntry, 'n'>

/** Most entries of the queue, which grows only while no commit succeeds. The oldest are dropped first. */
const maxQueuedEntries = 10_000

/** A row of `audit`: an `AccessEntry`, with `by` as `sort`, and `kinds` separated by spaces. */
type AccessRow = SqlRow & {
  readonly n: number
  readonly at: string
  readonly caller: string
  readonly sort: string
  readonly id: string | null
  readonly capability: string
  readonly outcome: string
  readonly kinds: string
  readonly count: number
  readonly purpose: string | null
  readonly receipt: string | null
}

const insert = `INSERT INTO audit (at, caller, "by", id, capability, outcome, kinds, count, purpose, receipt)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** For successful calls of the owner, the most frequent entries: it binds half as many values. */
const insertOwnerCall = `INSERT INTO audit (at, caller, "by", capability, outcome, kinds, count)
  VALUES (?, ?, 'owner', ?, 'ok', ?, ?)`

/**
 * For a run of entries that differ only in their count, as simultaneous calls do. Binds the counts as a JSON list.
 */
const insertRun = `INSERT INTO audit (at, caller, "by", id, capability, outcome, kinds, count, purpose, receipt)
  SELECT ?, ?, ?, ?, ?, ?, ?, value, ?, ? FROM json_each(?)`

/** From this length on, one statement for the run is faster than one for each entry. */
const minRunLength = 3

export class AccessLog implements TransactionHooks {
  readonly #db: SqlDatabase
  #queue: NewAccessEntry[] = []
  /** The entries of the open transaction. */
  #transactionEntries: NewAccessEntry[] = []
  /** How many entries at the front of the queue the open transaction writes. */
  #flushedCount = 0

  constructor(db: SqlDatabase) {
    this.#db = db
  }

  /** Adds an entry for the effect of a write. Call it inside a transaction of the write queue. */
  addToTransaction(entry: NewAccessEntry): void {
    this.#transactionEntries.push(entry)
  }

  /** Queues an entry for the next commit. */
  enqueue(entry: NewAccessEntry): void {
    this.#queue.push(entry)
    const excess = this.#queue.length - maxQueuedEntries
    if (excess <= 0) return
    this.#queue = this.#queue.slice(excess)
    // A commit may take its time: of the entries that it writes, these are gone already.
    this.#flushedCount = Math.max(0, this.#flushedCount - excess)
  }

  /** How many entries wait for a commit. */
  queueLength(): number {
    return this.#queue.length
  }

  /** Drops the entries of the last transaction, also of one that was undone. */
  begin(): void {
    this.#transactionEntries = []
    this.#flushedCount = 0
  }

  end(): void {
    this.#flushedCount = this.#queue.length
    this.#write(this.#queue)
    this.#write(this.#transactionEntries)
  }

  committed(): void {
    if (this.#flushedCount > 0) this.#queue = this.#queue.slice(this.#flushedCount)
    this.#flushedCount = 0
  }

  /** The entries that match `query`, newest first. `query.before`: only entries with lower numbers. */
  page(query: AccessQuery): AccessEntry[] {
    const { sql, params } = conditionOf(query)
    return this.#db
      .all<AccessRow>(
        `SELECT n, at, caller, "by" AS sort, id, capability, outcome, kinds, count, purpose, receipt
         FROM audit WHERE ${sql} ORDER BY n DESC LIMIT ?`,
        [...params, query.limit],
      )
      .map(toEntry)
  }

  /**
   * The times of the last calls of guests named `agent` and of their delegates, at most `limit`, the oldest first.
   * Leaves out `verbs`, unknown verbs, and calls refused for a missing right or by a rate of the edge.
   */
  guestCallTimes(agent: string, verbs: readonly string[], limit: number): string[] {
    const { sql, params } = sameOrDelegate('caller', agent)
    return this.#db
      .all<{ at: string }>(
        `SELECT at FROM audit WHERE ${sql} AND "by" NOT IN ('owner', 'unknown')
           AND outcome NOT IN ('forbidden', 'unauthorized', 'rate-limited')
           AND capability NOT IN (SELECT value FROM json_each(?)) ORDER BY n DESC LIMIT ?`,
        [...params, JSON.stringify(['', ...verbs]), limit],
      )
      .map(({ at }) => at)
      .toReversed()
  }

  /**
   * Removes the oldest entries, at most `limit`: those beyond `accessKeep.rows` and those before `since`. Returns
   * how many.
   */
  prune(since: string, limit: number): number {
    const countBefore = this.#count()
    const excess = Math.max(0, countBefore - accessKeep.rows)
    this.#db.run('DELETE FROM audit WHERE n IN (SELECT n FROM audit ORDER BY n LIMIT ?)', [
      Math.min(excess, limit),
    ])
    this.#db.run('DELETE FROM audit WHERE n IN (SELECT n FROM audit WHERE at < ? ORDER BY n LIMIT ?)', [
      since,
      Math.max(0, limit - excess),
    ])
    return countBefore - this.#count()
  }

  #count(): number {
    return this.#db.get<{ n: number }>('SELECT count(*) AS n FROM audit')?.n ?? 0
  }

  #write(entries: readonly NewAccessEntry[]): void {
    let from = 0
    // At `to === entries.length` nothing follows: this writes the last run.
    for (let to = 1; to <= entries.length; to += 1) {
      if (differOnlyInCount(entries[from], entries[to])) continue
      this.#writeRun(entries.slice(from, to))
      from = to
    }
  }

  #writeRun(run: readonly NewAccessEntry[]): void {
    const [first] = run
    if (!first || run.length < minRunLength) return run.forEach((entry) => this.#writeOne(entry))
    const { beforeCount, afterCount } = valuesOf(first)
    const counts = JSON.stringify(run.map(({ count }) => count))
    this.#db.run(insertRun, [...beforeCount, ...afterCount, counts])
  }

  #writeOne(entry: NewAccessEntry): void {
    const { at, caller, capability, count } = entry
    if (isPlainOwnerCall(entry))
      return this.#db.run(insertOwnerCall, [at, caller, capability, kindNames(entry), count])
    const { beforeCount, afterCount } = valuesOf(entry)
    this.#db.run(insert, [...beforeCount, count, ...afterCount])
  }
}

function isPlainOwnerCall({ by, outcome, id, purpose, receipt }: NewAccessEntry): boolean {
  return by === 'owner' && outcome === 'ok' && (id ?? purpose ?? receipt) === undefined
}

function kindNames({ kinds }: NewAccessEntry): string {
  return kinds.length === 1 ? (kinds[0] ?? '') : kinds.join(' ')
}

/** The values of `insert` before the count, and after it. */
function valuesOf(entry: NewAccessEntry): { beforeCount: SqlValue[]; afterCount: SqlValue[] } {
  const { at, caller, by, id, capability, outcome, purpose, receipt } = entry
  return {
    beforeCount: [at, caller, by, id ?? null, capability, outcome, kindNames(entry)],
    afterCount: [purpose ?? null, receipt ?? null],
  }
}

function differOnlyInCount(a: NewAccessEntry | undefined, b: NewAccessEntry | undefined): boolean {
  if (!a || !b) return false
  const isSame = (name: keyof NewAccessEntry) => a[name] === b[name]
  return comparedFields.every(isSame) && kindNames(a) === kindNames(b)
}

const comparedFields: readonly (keyof NewAccessEntry)[] = [
  'at',
  'caller',
  'by',
  'id',
  'capability',
  'outcome',
  'purpose',
  'receipt',
]

const conditions: readonly (readonly [name: Exclude<keyof AccessQuery, 'agent' | 'limit'>, sql: string])[] = [
  ['before', 'n < ?'],
  ['capability', 'capability = ?'],
  ['outcome', 'outcome = ?'],
  ['from', 'at >= ?'],
  ['to', 'at < ?'],
]

function conditionOf(query: AccessQuery): { sql: string; params: SqlValue[] } {
  const usedConditions = conditions.filter(([name]) => query[name] !== undefined)
  // Include the delegates of an agent, which act with its rights.
  const callerCondition = query.agent === undefined ? undefined : sameOrDelegate('caller', query.agent)
  return {
    sql: [
      '1 = 1',
      ...(callerCondition ? [callerCondition.sql] : []),
      ...usedConditions.map(([, sql]) => sql),
    ].join(' AND '),
    params: [...(callerCondition?.params ?? []), ...usedConditions.map(([name]) => query[name] ?? null)],
  }
}

function toEntry({ sort, kinds, id, purpose, receipt, ...row }: AccessRow): AccessEntry {
  return {
    n: row.n,
    at: row.at,
    caller: row.caller,
    by: sort as CallerSort,
    ...(id === null ? {} : { id }),
    capability: row.capability,
    outcome: row.outcome,
    kinds: kinds === '' ? [] : kinds.split(' '),
    count: row.count,
    ...(purpose === null ? {} : { purpose }),
    ...(receipt === null ? {} : { receipt }),
  }
}
