// The log of access at this copy of a book: who called what, and what came of it. It is bound to the copy: in no bundle and
// in no sync. Invariant: what is noted of a write stands exactly if the write does; what is gathered waits for the next
// commit, and what was in a transaction that failed is written with the next one.
import {
  type AccessEntry,
  type AccessQuery,
  accessKeep,
  type CallerSort,
} from '../core/capability/access-log.ts'
import { sameOrDelegate } from '../core/access/delegate-name.ts'
import type { SqlDatabase, SqlRow, SqlValue } from '../core/ports.ts'

export type NewAccess = Omit<AccessEntry, 'n'>

export interface AccessLog {
  /** Notes what a write did. Inside a transaction of the write queue. */
  note(entry: NewAccess): void
  /** Keeps an entry until the next commit. */
  gather(entry: NewAccess): void
  /** Entries that wait for a commit. */
  waiting(): number
  /** The write queue: a transaction begins, is about to be committed, was committed. */
  readonly during: { begin(): void; end(): void; committed(): void }
  /** Entries that match, newest first, after the one with the number `before`. */
  page(query: AccessQuery): AccessEntry[]
  /** Removes what is older than `since` or more than is kept, the oldest first, at most `limit`; answers how many went. */
  sweep(since: string, limit: number): number
}

/** More than this wait only where nothing can be written; the oldest are let go of. */
const waitingLimit = 10_000

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

/** What the owner wrote, which is by far the most: half of the values. */
const insertOwn = `INSERT INTO audit (at, caller, "by", capability, outcome, kinds, count)
  VALUES (?, ?, 'owner', ?, 'ok', ?, ?)`

/** Entries that differ in their count alone, in order: calls made together differ in nothing else. */
const insertRun = `INSERT INTO audit (at, caller, "by", id, capability, outcome, kinds, count, purpose, receipt)
  SELECT ?, ?, ?, ?, ?, ?, ?, value, ?, ? FROM json_each(?)`

/** From so many on, one statement for all is quicker than one for each. */
const leastRun = 3

export function createAccessLog(db: SqlDatabase): AccessLog {
  let waiting: NewAccess[] = []
  let inside: NewAccess[] = []
  let written = 0
  const writeOne = (entry: NewAccess) => {
    const { at, caller, capability, count } = entry
    if (isOwn(entry)) return db.run(insertOwn, [at, caller, capability, namesOf(entry), count])
    const { beforeCount, afterCount } = valuesOf(entry)
    db.run(insert, [...beforeCount, count, ...afterCount])
  }
  const writeRun = (run: readonly NewAccess[]) => {
    const [first] = run
    if (!first || run.length < leastRun) return run.forEach(writeOne)
    const { beforeCount, afterCount } = valuesOf(first)
    db.run(insertRun, [...beforeCount, ...afterCount, JSON.stringify(run.map(({ count }) => count))])
  }
  const write = (entries: readonly NewAccess[]) => {
    let from = 0
    for (let to = 1; to <= entries.length; to += 1) {
      if (isAlike(entries[from], entries[to])) continue
      writeRun(entries.slice(from, to))
      from = to
    }
  }

  return {
    note: (entry) => void inside.push(entry),
    gather(entry) {
      waiting.push(entry)
      if (waiting.length > waitingLimit) waiting = waiting.slice(-waitingLimit)
    },
    waiting: () => waiting.length,
    during: {
      begin() {
        inside = []
        written = 0
      },
      end() {
        written = waiting.length
        write(waiting)
        write(inside)
      },
      committed() {
        if (written > 0) waiting = waiting.slice(written)
        written = 0
      },
    },
    page(query) {
      const { sql, params } = conditionOf(query)
      return db
        .all<AccessRow>(
          `SELECT n, at, caller, "by" AS sort, id, capability, outcome, kinds, count, purpose, receipt
           FROM audit WHERE ${sql} ORDER BY n DESC LIMIT ?`,
          [...params, query.limit],
        )
        .map(toEntry)
    },
    sweep(since, limit) {
      const before = db.get<{ n: number }>('SELECT count(*) AS n FROM audit')?.n ?? 0
      const extra = Math.max(0, before - accessKeep.rows)
      db.run('DELETE FROM audit WHERE n IN (SELECT n FROM audit ORDER BY n LIMIT ?)', [
        Math.min(extra, limit),
      ])
      db.run('DELETE FROM audit WHERE n IN (SELECT n FROM audit WHERE at < ? ORDER BY n LIMIT ?)', [
        since,
        Math.max(0, limit - extra),
      ])
      return before - (db.get<{ n: number }>('SELECT count(*) AS n FROM audit')?.n ?? 0)
    },
  }
}

function isOwn({ by, outcome, id, purpose, receipt }: NewAccess): boolean {
  return by === 'owner' && outcome === 'ok' && (id ?? purpose ?? receipt) === undefined
}

function namesOf({ kinds }: NewAccess): string {
  return kinds.length === 1 ? (kinds[0] ?? '') : kinds.join(' ')
}

/** The columns of `insert` before the count, and after it. */
function valuesOf(entry: NewAccess): { beforeCount: SqlValue[]; afterCount: SqlValue[] } {
  const { at, caller, by, id, capability, outcome, purpose, receipt } = entry
  return {
    beforeCount: [at, caller, by, id ?? null, capability, outcome, namesOf(entry)],
    afterCount: [purpose ?? null, receipt ?? null],
  }
}

function isAlike(one: NewAccess | undefined, other: NewAccess | undefined): boolean {
  if (!one || !other) return false
  const isSame = (name: keyof NewAccess) => one[name] === other[name]
  return likeness.every(isSame) && namesOf(one) === namesOf(other)
}

const likeness: readonly (keyof NewAccess)[] = [
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
  const given = conditions.filter(([name]) => query[name] !== undefined)
  // What delegates of an agent did, they did by its rights.
  const whose = query.agent === undefined ? undefined : sameOrDelegate('caller', query.agent)
  return {
    sql: ['1 = 1', ...(whose ? [whose.sql] : []), ...given.map(([, sql]) => sql)].join(' AND '),
    params: [...(whose?.params ?? []), ...given.map(([name]) => query[name] ?? null)],
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
