// The promises of a book, kept over the SQLite of a Durable Object. Every call goes into the object and comes out
// again.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { capabilityTable, kinds } from '../../src/engine/capability-table.ts'
import { bookScope } from '../../src/core/book.ts'
import { bookTable } from '../../src/book/book-table.ts'
import { createDaybook } from '../../src/book/daybook.ts'
import { createLocalDoor } from '../../src/doors/local-door.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { embedderSource } from '../../src/recall/embed/create-embedder.ts'
import { createEmbedFetch } from '../../src/recall/embed/embed-fetch.ts'
import { openDoDatabase } from '../../worker/do-database.ts'
import { workerPorts } from '../../worker/worker-ports.ts'
import { through } from './object-door.ts'
import { openTestKeyring } from './test-keyring.ts'
import { openZone } from '../../src/web/web-zone.ts'
import { daybookContract } from '../contract/daybook.ts'

daybookContract('a Durable Object', {
  keepsKeys: false,
  role: 'mirror',
  alter: (name, statements) =>
    runInDurableObject(env.MIRROR.getByName(name), (_instance, { storage }) => {
      for (const statement of statements) storage.sql.exec(statement)
    }),
  async open(name, { embedder, secrets, timeZone } = {}) {
    const stub = env.MIRROR.getByName(name)
    const door = await runInDurableObject(stub, (_instance, { storage }) => {
      const engine = createEngine({
        db: openDoDatabase(storage),
        ports: workerPorts,
        name,
        scope: bookScope({ agent: 'contract' }),
        zone: openZone(timeZone),
        durability: 'durable-object',
        role: 'mirror',
        keys: openTestKeyring(),
        secrets,
        embedder: embedderSource(embedder, {
          ...workerPorts,
          fetch: createEmbedFetch(globalThis),
        }),
      })
      return createLocalDoor(engine, workerPorts.scheduler)
    })
    return createDaybook(through(stub, door), bookTable(capabilityTable, kinds), globalThis)
  },
})
