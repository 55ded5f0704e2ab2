// Two devices of one book and its mirror: engines and mirror as they ship, in virtual time.
import { neverAborted } from '../../../src/core/abort.ts'
import type { BookEvent } from '../../../src/core/capability/event.ts'
import type { JsonObject } from '../../../src/core/json/path.ts'
import { kinds } from '../../../src/engine/capability-table.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { openBookStore } from '../../../src/store/book-store.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { createTestTime } from '../test-engine.ts'

export type Device = ReturnType<typeof openTwoDevices>['one']

/** `skewMs`: so far is the clock of the second device ahead. */
export function openTwoDevices({ skewMs = 0 } = {}) {
  const { ports, pass } = createTestTime()
  const mirrorDb = openNodeDatabase({ path: ':memory:' })
  const store = openBookStore(mirrorDb, { kinds, role: 'mirror', ports, onCommit: () => undefined })
  const mirror = new SyncMirror({ store, clock: ports.clock, random: ports.random })
  const device = (n: number, ahead: number) => {
    const db = openNodeDatabase({ path: ':memory:' })
    const engine = createEngine({
      db,
      ports: { ...ports, clock: { now: () => ports.clock.now() + ahead } },
      name: 'b',
      scope: { agent: `user-${n}` },
      durability: 'memory',
      carrier: {
        exchange: async (request: unknown) =>
          JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
      },
    })
    const call = async <Output = Record<string, unknown>>(id: string, input: object = {}, agent?: string) =>
      (await engine.call(id, input, agent === undefined ? {} : { scope: { agent } })) as Output
    return {
      engine,
      db,
      call,
      async sync() {
        await engine.call('daybook:sync', {}, { signal: neverAborted })
      },
      /** All memories as they lie, those also that are out of recall. */
      async memories(): Promise<JsonObject[]> {
        const query = { kind: 'memory', limit: 1000, includeExpired: true, includeSuperseded: true }
        const { records } = await call<{ records: JsonObject[] }>('kstar:query_memory', query)
        // Each copy has numbers of its own for versions that it has not sent.
        return records
          .map(({ ver: _ver, ...record }) => record)
          .toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1))
      },
      /** What is remembered: the texts of what is approved and in nobody else's place. */
      async remembered(): Promise<string[]> {
        const { memories } = await call<{ memories: { content: string }[] }>('a2p:query_memories')
        return memories.map(({ content }) => content).toSorted()
      },
      async conflicts(): Promise<JsonObject[]> {
        return (await call<{ conflicts: JsonObject[] }>('daybook:list_conflicts')).conflicts
      },
      /** What of an event is heard from now on. */
      heard(name: BookEvent['name']): BookEvent['detail'][] {
        const told: BookEvent['detail'][] = []
        engine.on((event) => {
          if (event.name === name) told.push(event.detail)
        })
        return told
      },
    }
  }
  const [one, two] = [device(1, 0), device(2, skewMs)]
  return {
    one,
    two,
    mirrorDb,
    pass,
    /** Until both have all that there is. */
    async sync() {
      for (const each of [one, two, one, two, one]) await each.sync()
      await pass(1)
    },
    close() {
      for (const { engine } of [one, two]) engine.close()
      mirrorDb.close()
    },
  }
}
