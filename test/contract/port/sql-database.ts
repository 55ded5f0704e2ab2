// Runs the law of `SqlDatabase` on one implementation.
import { describe, expect, it } from 'vitest'
import type { SqlDatabase } from '../../../src/core/ports.ts'
import { type SqlDatabaseCase, sqlDatabaseCases } from './sql-database-case.ts'

/** `open` gives an empty database; it is closed afterwards. */
export function sqlDatabaseContract(name: string, open: () => Promise<SqlDatabase>): void {
  sqlDatabaseContractBy(name, async (index) => runSqlDatabaseCase(await open(), sqlDatabaseCases[index]))
}

/** For databases that live where tests can't: `run` does case `index` there and answers what came of it. */
export function sqlDatabaseContractBy(name: string, run: (index: number) => Promise<unknown>): void {
  describe(`SqlDatabase: ${name}`, () => {
    sqlDatabaseCases.forEach(({ title, expected }, index) => {
      it(title, async () => {
        expect(await run(index)).toEqual(expected)
      })
    })
  })
}

function runSqlDatabaseCase(db: SqlDatabase, one: SqlDatabaseCase | undefined): unknown {
  try {
    db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v)')
    return one?.run(db)
  } finally {
    db.close()
  }
}
