// Mirrors whose truth is a PostgreSQL of the tests' own, each behind two copies in turn, as two processes would have
// them: what is not in PostgreSQL is missed at once.
import type { SqlDatabase } from '../../../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../../../src/hosts/node/book/node-database.ts'
import { connectPostgres, type Postgres } from '../../../../../src/hosts/node/postgres/connect-postgres.ts'
import { migratePostgres } from '../../../../../src/hosts/node/postgres/postgres-schema.ts'
import { findBook, nameCopy } from '../../../../../src/hosts/node/postgres/find-book.ts'
import {
  PostgresTruth,
  type PostgresTruthOptions,
} from '../../../../../src/hosts/node/postgres/postgres-truth.ts'
import { toHex } from '../../../../../src/core/ids.ts'
import { migrate } from '../../../../../src/store/schema/version.ts'
import type { DatabaseHost } from '../../../../contract/mirror/mirror-world.ts'
import { findPostgres, startPostgres, type TestPostgres } from '../../../../support/server/postgres.ts'

const found = findPostgres()
/** Why these tests are skipped here, as the end of their title; empty where they run. */
export const skipped = 'missing' in found ? ` (skipped: ${found.missing})` : ''

/** A PostgreSQL that is started by the first test that needs it. */
export function createPostgres(settings: readonly string[] = []) {
  let started: Promise<{ postgres: TestPostgres; sql: Postgres }> | undefined
  const start = async () => {
    if ('missing' in found) throw new Error(found.missing)
    const postgres = await startPostgres(found.bin, settings)
    const sql = connectPostgres({ url: postgres.url })
    await migratePostgres(sql)
    return { postgres, sql }
  }
  return {
    get: () => (started ??= start()),
    async close() {
      if (!started) return
      const { postgres, sql } = await started
      await sql.close()
      await postgres.stop()
    },
  }
}

export function createPostgresHost(
  server: ReturnType<typeof createPostgres>,
  onStep?: PostgresTruthOptions['onStep'],
): DatabaseHost {
  const copies = new Map<string, SqlDatabase[]>()
  let turn = 0
  return {
    async within(name, work) {
      const count = name.endsWith('-mirror') ? 2 : 1
      const dbs = copies.get(name) ?? Array.from({ length: count }, () => openNodeDatabase({ path: '' }))
      copies.set(name, dbs)
      const db = dbs[turn++ % count]
      if (!db) throw new Error('There is no copy.')
      return work(db)
    },
    async truth(book, db, ports) {
      const { sql } = await server.get()
      const name = (letter: string) => `${letter}_${toHex(ports.random.bytes(16))}`
      const names = await findBook(
        { postgres: sql, book, bypasses: true },
        { epoch: name('e'), device: name('d') },
      )
      if (!names) throw new Error('The book was not made.')
      migrate(db, new Date(ports.clock.now()).toISOString())
      nameCopy(db, names)
      return new PostgresTruth({ postgres: sql, book, bypasses: true, onStep })
    },
    evict(name) {
      // A device keeps its database; the copies of a mirror are nobody's loss.
      if (name.endsWith('-mirror')) {
        for (const db of copies.get(name) ?? []) db.close()
        copies.delete(name)
      }
      return Promise.resolve()
    },
  }
}
