// The promises of a book, kept over the SQLite of a Durable Object. Every call goes into the object and comes out again.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { capabilityTable } from '../../src/engine/capability-table.ts'
import { bookScope } from '../../src/core/book.ts'
import type { BookEvent } from '../../src/core/capability/event.ts'
import { type BookDoor, createDaybook, methodTable } from '../../src/book/daybook.ts'
import { createLocalDoor } from '../../src/doors/local-door.ts'
import { createEngine } from '../../src/engine/engine.ts'
import { embedderSource } from '../../src/recall/embed/create-embedder.ts'
import { fetchOf } from '../../src/recall/embed/embed-fetch.ts'
import { openDoDatabase } from '../../worker/do-database.ts'
import { workerPorts } from '../../worker/worker-ports.ts'
import { openTestKeyring } from './test-keyring.ts'
import { openZone } from '../../src/web/web-zone.ts'
import { daybookContract } from '../contract/daybook.ts'

/** What happens in an object has to be fetched from it: a listener that is called in there could not act out here. */
function createEventQueue(door: BookDoor) {
  const events: BookEvent[] = []
  let tell: ((event: BookEvent | undefined) => void) | undefined
  let ended = false
  const stop = door.on((event) => {
    if (tell) tell(event as BookEvent)
    else events.push(event as BookEvent)
    tell = undefined
  })
  return {
    next: () =>
      new Promise<BookEvent | undefined>((resolve) => {
        const event = events.shift()
        if (event || ended) resolve(event)
        else tell = resolve
      }),
    end() {
      stop()
      ended = true
      tell?.(undefined)
    },
  }
}

daybookContract('a Durable Object', {
  keepsKeys: false,
  role: 'mirror',
  alter: (name, statements) =>
    runInDurableObject(env.MIRROR.getByName(name), (_instance, { storage }) => {
      for (const statement of statements) storage.sql.exec(statement)
    }),
  async open(name, { embedder, secrets, timeZone } = {}) {
    const stub = env.MIRROR.getByName(name)
    const inside = <Result>(work: () => Result | Promise<Result>) => runInDurableObject(stub, work)
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
          fetch: fetchOf(globalThis),
        }),
      })
      return createLocalDoor(engine, workerPorts.scheduler)
    })
    const through: BookDoor = {
      call: (id, input, options) => inside(() => door.call(id, input, options)),
      on(listener) {
        const queue = createEventQueue(door)
        const listen = async () => {
          for (;;) {
            const event = await inside(queue.next)
            if (event) listener(event)
            if (!event || event.name === 'closed') return
          }
        }
        void listen()
        return () => void inside(queue.end)
      },
      close: () => inside(() => door.close()),
    }
    return createDaybook(through, methodTable(capabilityTable), globalThis)
  },
})
