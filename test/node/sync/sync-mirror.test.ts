import type { SqlDatabase } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { mirrorContract } from '../../contract/mirror/mirror.ts'

const databases = new Map<string, SqlDatabase>()

mirrorContract('node:sqlite', {
  async within(name, work) {
    const db = databases.get(name) ?? openNodeDatabase({ path: ':memory:' })
    databases.set(name, db)
    return work(db)
  },
  evict: () => Promise.resolve(),
})
