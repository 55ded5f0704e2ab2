import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { openDoDatabase } from '../../worker/do-database.ts'
import { sqlDatabaseCases } from '../contract/port/sql-database-case.ts'
import { sqlDatabaseContractBy } from '../contract/port/sql-database.ts'

sqlDatabaseContractBy('the SQLite of a Durable Object', (index) =>
  runInDurableObject(env.MIRROR.getByName(`sql-database-${index}`), (_instance, { storage }) => {
    const db = openDoDatabase(storage)
    db.exec('CREATE TABLE t (id INTEGER PRIMARY KEY, v)')
    return sqlDatabaseCases[index]?.run(db)
  }),
)
