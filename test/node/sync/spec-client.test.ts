// A client that was written from the specification alone, beside this project's own devices, around one mirror over HTTP:
// whatever happens, all come to have the same, and nothing that was written is lost without word.
import { describe, expect, it } from 'vitest'
import type { SqlDatabase, SqlRow } from '../../../src/core/ports.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import {
  createNumbers,
  createWorld,
  type DatabaseHost,
  testKinds,
} from '../../contract/mirror/mirror-world.ts'
import { SpecClient } from './spec/client.ts'
import type { ClientKind } from './spec/client-book.ts'
import { createAsk, edgeKey } from './spec/http-mirror.ts'

const kinds: Record<string, ClientKind> = Object.fromEntries(
  [...testKinds.values()].map(({ name, merge = {}, laterEditRevives = false }) => [
    name,
    { rules: merge, laterEditRevives },
  ]),
)
const names = [...testKinds.keys()]

function createHost(): DatabaseHost {
  const databases = new Map<string, SqlDatabase>()
  return {
    async within(name, work) {
      const db = databases.get(name) ?? openNodeDatabase({ path: ':memory:' })
      databases.set(name, db)
      return work(db)
    },
    evict: () => Promise.resolve(),
  }
}

const tables = ['book', 'records', 'history', 'devices', 'results', 'conflicts'] as const

/** The fate of one request of a client on the network. */
type Fault = 'none' | 'lose-request' | 'lose-answer' | 'twice'

function createParty(seed: number) {
  const world = createWorld(createHost(), { seed })
  const numbers = createNumbers(seed)
  const ask = createAsk(async (text) => JSON.stringify(await world.mirror.exchange(JSON.parse(text))))
  const lost = () => {
    throw new TypeError('fetch failed')
  }
  const createClient = (agent: string) => {
    const faults: Fault[] = []
    const client = new SpecClient({
      agent,
      kinds,
      key: edgeKey,
      book: 'garden',
      random: numbers,
      now: () => world.clock.nowMs,
      async fetch(path, init) {
        const fault = faults.shift() ?? 'none'
        if (fault === 'lose-request') return lost()
        if (fault === 'twice') await ask(path, init)
        const response = await ask(path, init)
        return fault === 'lose-answer' ? lost() : response
      },
    })
    return { client, faults }
  }
  const backup = () =>
    world.mirror.look(({ db }) => tables.map((table) => [table, db.all(`SELECT * FROM ${table}`)] as const))
  const restore = async (copy: readonly (readonly [string, readonly SqlRow[]])[]) => {
    await world.mirror.look(({ db }) =>
      db.transaction(() => {
        for (const [table, rows] of copy) {
          db.run(`DELETE FROM ${table}`)
          for (const row of rows) {
            const columns = Object.keys(row)
            const places = columns.map(() => '?').join(', ')
            db.run(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`, Object.values(row))
          }
        }
      }),
    )
    await world.mirror.restart()
  }
  return { world, numbers, createClient, backup, restore }
}

type Party = ReturnType<typeof createParty>

/** Somebody who writes: one of this project's devices, or a client of the specification. */
interface Writer {
  put(kind: string, id: string, body: { text: string; tags: string[]; uses: number }): Promise<void>
  forget(id: string): Promise<void>
  /** What the record says here, if anything. */
  textOf(id: string): Promise<Record<string, unknown> | undefined>
  sync(fault: Fault): Promise<void>
  all(): Promise<Record<string, object>>
  lost(): Promise<string[]>
  read(limit: number): void
}

const ignore = () => undefined

function ownDevice({ world }: Party, name: string): Writer {
  const device = world.device(name)
  return {
    put: async (kind, id, body) => void (await device.put(kind, id, body)),
    forget: async (id) => void (await device.forget(id)),
    textOf: (id) => device.get(id),
    async sync(fault) {
      device.faults(fault)
      await device.sync().catch(ignore)
    },
    all: () => device.all(),
    lost: async () => (await device.conflicts()).map(({ loser }) => JSON.stringify(loser)),
    read: ignore,
  }
}

function specClient(party: Party, name: string): Writer & { readonly client: SpecClient } {
  const { client, faults } = party.createClient(name)
  return {
    client,
    put: async (kind, id, body) => client.put(kind, id, body),
    forget: async (id) => client.forget(id),
    textOf: async (id) => client.all()[id] as Record<string, unknown> | undefined,
    async sync(fault) {
      faults.splice(0, faults.length, fault)
      await client.sync().catch((error: unknown) => {
        if (!(error instanceof TypeError)) throw error
      })
    },
    all: async () => client.all(),
    lost: async () => client.log().map(({ lost }) => JSON.stringify(lost)),
    read: (limit) => void (client.pageLimit = limit),
  }
}

/** One schedule: who writes what, who syncs through which network, and what becomes of the mirror. */
async function play(seed: number, isSetBack: boolean) {
  const party = createParty(seed)
  const { world, numbers } = party
  const draw = (below: number) => numbers() % below
  const clients = ['ada', 'ben'].map((name) => specClient(party, name))
  const writers: Writer[] = [...clients, ownDevice(party, 'own-1'), ownDevice(party, 'own-2')]
  const written: string[] = []
  const replaced = new Set<string>()
  const logs: string[] = []
  const mirrorLog = async () => (await world.mirror.conflicts()).map(({ loser }) => JSON.stringify(loser))
  const steps = 50
  const backupAt = 8 + draw(12)
  const setBackAt = backupAt + 4 + draw(20)
  let copy: Awaited<ReturnType<Party['backup']>> = []
  const note = (before: Record<string, unknown> | undefined) => {
    for (const token of JSON.stringify(before ?? '').match(/w\d+w/g) ?? []) replaced.add(token)
  }
  for (let step = 0; step < steps; step++) {
    world.clock.nowMs += draw(5000)
    const writer = writers[draw(writers.length)] as Writer
    const number = draw(2 * names.length)
    const [kind = '', id] = [names[number % names.length], `r-${number}`]
    const turn = draw(10)
    if (isSetBack && step === backupAt) copy = await party.backup()
    if (isSetBack && step === setBackAt) {
      // What the mirror had logged goes with it; nobody else has that.
      logs.push(...(await mirrorLog()))
      await party.restore(copy)
    }
    if (turn < 4) {
      const before = await writer.textOf(id)
      const token = `w${seed * 1000 + step}w`
      written.push(token)
      note({ text: before?.['text'] ?? '' })
      const tags = [...((before?.['tags'] as string[] | undefined) ?? []), `t${step}`]
      await writer.put(kind, id, { text: token, tags, uses: Number(before?.['uses'] ?? 0) + 1 })
    } else if (turn === 4) {
      note(await writer.textOf(id))
      await writer.forget(id)
    } else if (turn === 5 && draw(6) === 0) {
      world.clock.nowMs += 91 * 86_400_000
      await world.mirror.tidy()
    } else {
      writer.read([1, 2, 5, 1000][draw(4)] ?? 1000)
      const faults = ['lose-answer', 'lose-request', 'twice', 'none', 'none', 'none'] as const
      await writer.sync(faults[draw(faults.length)] ?? 'none')
    }
  }
  for (let round = 0; round < 4; round++) for (const writer of writers) await writer.sync('none')
  const [first, ...others] = await Promise.all([world.mirror.all(), ...writers.map((writer) => writer.all())])
  for (const other of others) expect(other).toEqual(first)
  for (const { client } of clients) expect(client.pending()).toBe(0)
  for (const writer of writers) logs.push(...(await writer.lost()))
  logs.push(...(await mirrorLog()))
  const known = [JSON.stringify(first), ...logs].join('\n')
  expect(written.filter((token) => !replaced.has(token) && !known.includes(token))).toEqual([])
  return {
    told: clients.flatMap(({ client }) => client.told),
    logs: clients.flatMap(({ client }) => client.log()),
  }
}

describe('a client written from the specification of sync', () => {
  it('M2 M8 C6 C11 D2 T2 G1 comes to have what this project’s devices have, whatever is lost on the way', async () => {
    let conflicts = 0
    const told: string[] = []
    for (let seed = 1; seed <= 40; seed++) {
      const played = await play(seed, false)
      conflicts += played.logs.length
      told.push(...played.told)
    }
    // The schedules must meet what they are for.
    expect(conflicts).toBeGreaterThan(20)
    expect(told).toContain('resync-required')
    expect(told).not.toContain('differs')
  })

  it('M4 M10 M11 N4 N5 gets through a mirror that was set back, and brings back what it lost', async () => {
    const told: string[] = []
    for (let seed = 101; seed <= 120; seed++) told.push(...(await play(seed, true)).told)
    expect(told.filter((code) => code === 'resync-required').length).toBeGreaterThan(20)
  })

  it.each([true, false])(
    'N5 keeps what was forgotten forgotten, at a mirror that has it still or knows nothing at all (%s)',
    async (isKnown) => {
      const party = createParty(7)
      const { client } = specClient(party, 'ada')
      const own = party.world.device('own')
      const empty = await party.backup()
      client.put('local_wins', 'r-1', { text: 'to be forgotten' })
      client.put('local_wins', 'r-2', { text: 'stays' })
      await client.sync()
      await own.sync()
      const copy = await party.backup()
      party.world.clock.nowMs += 1000
      client.forget('r-1')
      await client.sync()
      await party.restore(isKnown ? copy : empty)
      await client.sync()
      await own.sync()
      expect(client.told).toEqual(['resync-required'])
      expect(Object.keys(client.all())).toEqual(['r-2'])
      expect(await own.all()).toEqual(client.all())
      expect(await party.world.mirror.all()).toEqual(client.all())
    },
  )

  it.each([true, false])(
    'W8 M3 C18 says a forget in place of what it had sent, and says it once, put again or not (%s)',
    async (isPutAgain) => {
      const party = createParty(11)
      const writer = specClient(party, 'ada')
      const own = party.world.device('own')
      const pass = () => void (party.world.clock.nowMs += 1000)
      writer.client.put('last_write_wins', 'r-1', { text: 'withdrawn' })
      await writer.sync('lose-request')
      pass()
      writer.client.forget('r-1')
      await writer.sync('lose-answer')
      await own.sync()
      pass()
      await own.put('last_write_wins', 'r-1', { text: 'of another', tags: [], uses: 1 })
      await own.sync()
      pass()
      if (isPutAgain) writer.client.put('last_write_wins', 'r-1', { text: 'again' })
      await writer.sync('none')
      await own.sync()
      expect(await own.get('r-1')).toMatchObject({ text: isPutAgain ? 'again' : 'of another' })
      expect(writer.client.all()).toEqual(await own.all())
      expect(await party.world.mirror.all()).toEqual(await own.all())
      // Of two that were put on the forget one is in the log, and nothing else lost.
      expect((await party.world.mirror.conflicts()).map(({ loser }) => loser.body?.['text'])).toEqual(
        isPutAgain ? ['of another'] : [],
      )
    },
  )

  it('M3 N6 takes a name of its own when another has its name', async () => {
    const party = createParty(9)
    const [one, two] = [party.createClient('ada').client, party.createClient('ada').client]
    one.put('local_wins', 'r-1', { text: 'of the first' })
    await one.sync()
    two.adopt(one)
    one.put('local_wins', 'r-2', { text: 'of the first again' })
    await one.sync()
    two.put('local_wins', 'r-3', { text: 'of its copy' })
    await two.sync()
    await one.sync()
    expect(two.told).toEqual(['device-forked'])
    expect(Object.keys(one.all())).toEqual(['r-1', 'r-2', 'r-3'])
    expect(two.all()).toEqual(one.all())
  })
})
