// Databases of Durable Objects for the contract suites: work on one runs inside its object, as workerd demands.
import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { SqlDatabase } from '../../src/core/ports.ts'
import { openDoDatabase } from '../../worker/do-database.ts'
import type { DatabaseHost } from '../contract/mirror/mirror-world.ts'

const opened = new Map<string, SqlDatabase>()

export const durableDatabases: DatabaseHost = {
  within: (name, work) =>
    runInDurableObject(env.MIRROR.getByName(name), (_instance, state) => {
      const db = opened.get(name) ?? openDoDatabase(state.storage)
      opened.set(name, db)
      return work(db)
    }),
  async evict(name) {
    opened.delete(name)
    await evictDurableObject(env.MIRROR.getByName(name))
  },
}
