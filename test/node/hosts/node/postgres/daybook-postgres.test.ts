// The promises of a book, kept by a mirror over PostgreSQL: its engine writes through the truth, and answers from a copy.
import { afterAll, describe } from 'vitest'
import { capabilityTable, kinds } from '../../../../../src/engine/capability-table.ts'
import { bookScope } from '../../../../../src/core/book.ts'
import { bookTable } from '../../../../../src/book/book-table.ts'
import { createDaybook } from '../../../../../src/book/daybook.ts'
import { createLocalDoor } from '../../../../../src/doors/local-door.ts'
import { createEngine } from '../../../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../../../src/hosts/node/book/node-database.ts'
import { nodeEmbedder } from '../../../../../src/hosts/node/model/node-embedder.ts'
import { nodePorts } from '../../../../../src/hosts/node/port/node-ports.ts'
import { findBook, nameCopy } from '../../../../../src/hosts/node/postgres/find-book.ts'
import { PostgresTruth } from '../../../../../src/hosts/node/postgres/postgres-truth.ts'
import { openNodeKeyring } from '../../../../../src/hosts/node/key/key-file.ts'
import { toHex } from '../../../../../src/core/ids.ts'
import { migrate } from '../../../../../src/store/schema/version.ts'
import { openZone } from '../../../../../src/web/web-zone.ts'
import { daybookContract } from '../../../../contract/daybook.ts'
import { createPostgres, skipped } from './postgres-world.ts'

const server = createPostgres()
afterAll(server.close)

describe.skipIf(skipped !== '')(`PostgreSQL${skipped}`, () => {
  const keys = new Map<string, ReturnType<typeof openNodeKeyring>>()
  daybookContract('a mirror over PostgreSQL', {
    keepsKeys: false,
    role: 'mirror',
    // The rest is the same engine over the same SQLite; all of it holds here too.
    part: 'storage',
    async open(book, { embedder, timeZone } = {}) {
      const { sql: postgres } = await server.get()
      const place = { postgres, book, bypasses: true }
      const name = (letter: string) => `${letter}_${toHex(nodePorts.random.bytes(16))}`
      const names = await findBook(place, { epoch: name('e'), device: name('d') })
      if (!names) throw new Error('The book was not made.')
      // A new copy each time: whatever it had is gone, and comes back from PostgreSQL.
      const db = openNodeDatabase({ path: '' })
      migrate(db, new Date(nodePorts.clock.now()).toISOString())
      nameCopy(db, names)
      const truth = new PostgresTruth(place)
      const keyring = keys.get(book) ?? openNodeKeyring(undefined)
      keys.set(book, keyring)
      const engine = createEngine({
        db,
        truth,
        ports: nodePorts,
        name: book,
        scope: bookScope({ agent: 'contract' }),
        zone: openZone(timeZone),
        durability: 'postgres',
        role: 'mirror',
        keys: keyring,
        embedder: nodeEmbedder(embedder),
      })
      truth.attach(engine.store)
      await truth.follow()
      const door = createLocalDoor(engine, nodePorts.scheduler)
      // As whoever puts a copy away does: see book-copies.ts.
      const close = () => engine.audit.flush().then(() => door.close())
      return createDaybook({ ...door, close }, bookTable(capabilityTable, kinds), globalThis)
    },
  })
})
