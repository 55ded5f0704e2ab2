// Where a word stands in a database, whatever is there.
import type { SqlDatabase } from '../../src/core/ports.ts'

/** The columns of tables that say `word`. */
export const saying = (db: SqlDatabase, word: string): string[] =>
  db
    .all<{ name: string; column: string }>(
      `SELECT m.name, c.name AS column FROM sqlite_schema m, pragma_table_info(m.name) c
       WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'`,
    )
    .filter(
      ({ name, column }) =>
        db.get(`SELECT 1 FROM "${name}" WHERE instr(CAST("${column}" AS TEXT), ?) > 0`, [word]) !== undefined,
    )
    .map(({ name, column }) => `${name}.${column}`)
