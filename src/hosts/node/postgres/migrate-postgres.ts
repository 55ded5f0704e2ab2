// Brings a PostgreSQL database to the tables of this code. Processes that start together take turns, by an advisory lock.
// Invariant: a database that newer code has migrated is refused, never changed.
import { DaybookError } from '../../../core/errors.ts'
import type { Postgres } from './connect-postgres.ts'
import { guarded } from './postgres-fault.ts'
import { postgresMigrations } from './postgres-schema.ts'

/** The name of the lock, among those that other programs take in the same database: "daybook" as bytes. */
const lockName = '28266384118935403'

/** Migrates forward; throws `book-newer` when the database is beyond what this code knows. */
export function migratePostgres(
  postgres: Postgres,
  steps: readonly string[] = postgresMigrations,
): Promise<void> {
  return guarded(() =>
    postgres.begin(`SELECT pg_advisory_xact_lock(${lockName})`, async (sql) => {
      // Asked first: whoever may only use the tables need not be allowed to make a schema.
      const [there] = await sql.rows<{ known: boolean }>(
        "SELECT to_regclass('daybook.schema_version') IS NOT NULL AS known",
      )
      if (!there?.known) {
        await sql.rows(`CREATE SCHEMA IF NOT EXISTS daybook;
          CREATE TABLE daybook.schema_version (version integer PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())`)
      }
      const [row] = await sql.rows<{ version: number | null }>(
        'SELECT max(version) AS version FROM daybook.schema_version',
      )
      const found = row?.version ?? 0
      if (found > steps.length) {
        throw new DaybookError(
          'book-newer',
          `The database has schema ${found}, this Daybook knows ${steps.length}.`,
          { details: { found, known: steps.length } },
        )
      }
      for (let version = found; version < steps.length; version++) {
        await sql.rows(steps[version] ?? '')
        await sql.rows('INSERT INTO daybook.schema_version (version) VALUES ($1)', [version + 1])
      }
    }),
  )
}
