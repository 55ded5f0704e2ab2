// The judged corpora with the embedder `meaning`, in a Durable Object. A Worker has no table: its file is a binding of the tests.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { bookScope } from '../../src/core/book.ts'
import { bookTable } from '../../src/book/book-table.ts'
import { createDaybook } from '../../src/book/daybook.ts'
import { createLocalDoor } from '../../src/doors/local-door.ts'
import { capabilityTable, kinds } from '../../src/engine/capability-table.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { embedderSource } from '../../src/recall/embed/create-embedder.ts'
import { createEmbedFetch } from '../../src/recall/embed/embed-fetch.ts'
import { openDoDatabase } from '../../worker/do-database.ts'
import { workerPorts } from '../../worker/worker-ports.ts'
import { meaningGoldenCases } from '../golden/meaning/meaning-golden.ts'
import { through } from './object-door.ts'

const { TEST_MEANING: table } = env as unknown as { readonly TEST_MEANING: ArrayBuffer }
let serial = 0

meaningGoldenCases(async () => {
  const name = `meaning-golden-${++serial}`
  const stub = env.MIRROR.getByName(name)
  const door = await runInDurableObject(stub, (_instance, { storage }) => {
    const engine = createEngine({
      db: openDoDatabase(storage),
      ports: workerPorts,
      name,
      scope: bookScope({ agent: 'contract' }),
      durability: 'durable-object',
      role: 'mirror',
      secrets: 'off',
      embedder: embedderSource(
        { provider: 'meaning', questionDeadlineMs: 60_000 },
        {
          ...workerPorts,
          fetch: createEmbedFetch(globalThis),
          tables: { readTable: () => Promise.resolve(new Uint8Array(table)) },
        },
      ),
    })
    return createLocalDoor(engine, workerPorts.scheduler)
  })
  return createDaybook(through(stub, door), bookTable(capabilityTable, kinds), globalThis)
})
