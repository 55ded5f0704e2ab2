// A database in memory that takes no more of one statement than SQLite in workerd does: what is refused there is refused here.
import { DatabaseSync } from 'node:sqlite'
import type { SqlDatabase, SqlRow, SqlValue } from '../../src/core/ports.ts'

/** As workerd sets them (`src/workerd/util/sqlite.c++`). */
const workerdLimits = {
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  vdbeOp: 25_000,
  functionArg: 32,
  likePatternLength: 50,
  variableNumber: 100,
}

/** A new, empty one. */
export function openLimitedDatabase(): SqlDatabase {
  const db = new DatabaseSync(':memory:', { limits: workerdLimits })
  const given = (params: readonly SqlValue[]) => params as (Uint8Array | number | string | null)[]
  return {
    exec: (sql) => db.exec(sql),
    run: (sql, params = []) => void db.prepare(sql).run(...given(params)),
    all: <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []) =>
      db.prepare(sql).all(...given(params)) as unknown as Row[],
    get: <Row extends SqlRow>(sql: string, params: readonly SqlValue[] = []) =>
      db.prepare(sql).get(...given(params)) as unknown as Row | undefined,
    transaction(work) {
      db.exec('BEGIN IMMEDIATE')
      try {
        const result = work()
        db.exec('COMMIT')
        return result
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
    sizeBytes: () => 0,
    scrub: () => undefined,
    close: () => db.close(),
  }
}
