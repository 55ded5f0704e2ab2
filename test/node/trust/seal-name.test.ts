// One book that is opened by several names, as the command line does with `--book`: what was sealed by one opens by all.
import { afterEach, describe, expect, test } from 'vitest'
import { failure } from '../../contract/book-case.ts'
import type { Carrier, KeyVault, SqlDatabase } from '../../../src/core/ports.ts'
import { bookTable } from '../../../src/book/book-table.ts'
import { createDaybook, type Daybook } from '../../../src/book/daybook.ts'
import { capabilityTable, kinds } from '../../../src/engine/capability-table.ts'
import { createLocalDoor } from '../../../src/doors/local-door.ts'
import { createEngine } from '../../../src/engine/engine.ts'
import { openNodeDatabase } from '../../../src/hosts/node/book/node-database.ts'
import { nodePorts } from '../../../src/hosts/node/port/node-ports.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { Keychain } from '../../../src/trust/seal/keychain.ts'

const passphrase = 'correct horse battery'
const books: Daybook[] = []
afterEach(async () => {
  for (const book of books.splice(0)) await book.close()
})

interface Home {
  readonly db: SqlDatabase
  readonly vault: KeyVault
  /** By another name each time, with a mirror or without. */
  open(name: string, carrier?: Carrier): Daybook
}

/** What one device keeps of a book. */
function createHome(vault = openNodeVault(undefined)): Home {
  const db = openNodeDatabase({ path: ':memory:' })
  return {
    db,
    vault,
    open(name, carrier) {
      const engine = createEngine({
        db: { ...db, close: () => undefined },
        ports: nodePorts,
        name,
        scope: { agent: 'agent' },
        durability: 'memory',
        vault,
        openMemory: () => openNodeDatabase({ path: ':memory:' }),
        ...(carrier ? { carrier, sync: { triggers: 'manual' } } : {}),
      })
      const door = createLocalDoor(engine, nodePorts.scheduler)
      const book = createDaybook(door, bookTable(capabilityTable, kinds), globalThis)
      books.push(book)
      return book
    },
  }
}

/** Opens the home by this name for one piece of work, as one command does. */
async function during<Result>(
  home: Home,
  [name, carrier]: [string, Carrier?],
  work: (book: Daybook) => Promise<Result>,
): Promise<Result> {
  const book = home.open(name, carrier)
  try {
    return await work(book)
  } finally {
    await book.close()
  }
}

function openMirror(): Carrier {
  const db = openNodeDatabase({ path: ':memory:' })
  const engine = createEngine({
    db,
    ports: nodePorts,
    name: 'tutor',
    scope: { agent: 'edge' },
    durability: 'memory',
    role: 'mirror',
  })
  const mirror = new SyncMirror({ store: engine.store, ...nodePorts })
  return {
    exchange: async (request) => JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown,
  }
}

const storing = (id: string) => (book: Daybook) =>
  book.perceptions.store({ id, content: `an elephant ${id}`, sensitivity: 'sensitive' })
const syncing = (book: Daybook) => book.sync()
const reading = async (book: Daybook) => {
  const { records } = await book.perceptions.query({ limit: 50, orderBy: 'id' })
  return records.map(({ id }) => id)
}

/** What a second device of the book `tutor` reads, which has the keys of this home. */
async function readElsewhere(home: Home, carrier: Carrier): Promise<string[]> {
  const { text } = await during(home, ['agent'], (book) => book.seal.exportKeys({ passphrase }))
  return during(createHome(), ['tutor', carrier], async (book) => {
    await book.sync()
    await book.seal.importKeys({ text, passphrase })
    return reading(book)
  })
}

describe('a book that is opened by another name', () => {
  const orders: readonly (readonly [string, readonly string[]])[] = [
    ['a sealed record, then the mirror', ['store', 'sync', 'read', 'store', 'sync', 'read']],
    ['the mirror, then sealed records', ['sync', 'store', 'sync', 'read', 'store', 'sync']],
    ['sealed records while the mirror is on', ['sync-store', 'read', 'store', 'sync-store', 'sync']],
  ]
  test.each(orders)('reads what it sealed, here and on other devices: %s', async (_title, order) => {
    const home = createHome()
    const carrier = openMirror()
    const made: string[] = []
    for (const step of order) {
      const place: [string, Carrier?] = step.startsWith('sync') ? ['tutor', carrier] : ['agent']
      if (step.endsWith('store')) {
        made.push(`p-${made.length}`)
        await during(home, place, storing(made.at(-1) ?? ''))
      } else if (step === 'sync') await during(home, place, syncing)
      expect(await during(home, place, reading)).toEqual(made)
    }
    expect(await readElsewhere(home, carrier)).toEqual(made)
    // What the two make from now on is under one name as well.
    await during(home, ['agent'], storing('p-z'))
    await during(home, ['tutor', carrier], syncing)
    expect(await readElsewhere(home, carrier)).toEqual([...made, 'p-z'])
  })

  test('opens keys that an earlier version left under the name of the agent, or under that of the mirror', async () => {
    for (const [first, withMirror] of [
      ['agent', false],
      ['tutor', true],
    ] as const) {
      let kept: string | undefined
      const inner = openNodeVault(undefined)
      // As it was written before: without the name of the book.
      const vault: KeyVault = {
        ...inner,
        read: () => Promise.resolve(kept),
        write: (text) => {
          const { book: _book, ...rest } = JSON.parse(text) as Record<string, unknown>
          kept = JSON.stringify(rest)
          return Promise.resolve()
        },
      }
      const home = createHome(vault)
      const carrier = openMirror()
      await during(home, withMirror ? [first, carrier] : [first], storing('p-0'))
      home.db.run("DELETE FROM book WHERE key = 'mirror_name'")
      expect(await during(home, withMirror ? ['agent'] : ['tutor', carrier], reading)).toEqual(['p-0'])
      await during(home, ['tutor', carrier], syncing)
      expect(await readElsewhere(home, carrier)).toEqual(['p-0'])
    }
  })

  test('says what to do when its keys were left under a name that nobody knows', async () => {
    const home = createHome()
    await during(home, ['former'], storing('p-0'))
    const vault: KeyVault = {
      ...home.vault,
      read: async () => (await home.vault.read())?.replace(/"book":"[^"]*",/, ''),
    }
    const stranger = { ...createHome(vault), db: home.db }
    const book = createEngine({
      db: { ...stranger.db, close: () => undefined },
      ports: nodePorts,
      name: 'present',
      scope: { agent: 'agent' },
      durability: 'memory',
      vault,
    })
    const error = await failure(book.call('seal:status', {}))
    expect(error).toMatchObject({ code: 'storage-failed', message: expect.stringContaining('another name') })
    book.close()
    expect(await during(home, ['present'], reading)).toEqual(['p-0'])
  })

  test('opens with its passphrase, which a wrong one does not', async () => {
    const home = createHome()
    await during(home, ['agent'], async (book) => {
      await book.seal.unlock({ passphrase })
      await storing('p-0')(book)
    })
    const carrier = openMirror()
    await during(home, ['tutor', carrier], async (book) => {
      expect((await failure(book.seal.unlock({ passphrase: 'another one' }))).code).toBe('wrong-passphrase')
      await book.seal.unlock({ passphrase })
      await book.sync()
      expect(await reading(book)).toEqual(['p-0'])
    })
    const texts = await during(home, ['agent'], async (book) => {
      await book.seal.unlock({ passphrase })
      return reading(book)
    })
    expect(texts).toEqual(['p-0'])
  })

  test('replaces its keys under the present name', async () => {
    const home = createHome()
    await during(home, ['agent'], storing('p-0'))
    await during(home, ['tutor'], async (book) => {
      const done = new Promise<void>((resolve) => {
        book.on('progress', (step) => step.done === step.total && resolve())
      })
      await book.seal.rotate()
      await done
    })
    const carrier = openMirror()
    await during(home, ['tutor', carrier], syncing)
    expect(await readElsewhere(home, carrier)).toEqual(['p-0'])
    expect(await during(home, ['agent'], (book) => book.seal.status())).toMatchObject({ others: [] })
  })

  test('reads what a mirror sealed to its public key while it had the former name', async () => {
    const { random, cipher, aes, encapsulation } = nodePorts
    const vault = openNodeVault(undefined)
    const open = (name: string, kept: KeyVault | undefined) =>
      new Keychain({
        random,
        cipher,
        aes,
        encapsulation,
        names: () => ({ present: name, earlier: [] }),
        vault: kept,
      })
    const former = open('agent', vault)
    await former.ensureKey()
    const half = former.publicHalf()
    if (!half) throw new Error('This host has no X25519')
    const mirror = open('any', undefined)
    await mirror.sealToPublicKey(half, () => true)
    const owner = { kind: 'perception', id: 'p-0' }
    const sealed = mirror.seal(owner, 1, '{"content":"x"}')
    const present = open('tutor', vault)
    await present.readVault()
    present.requestKey(sealed)
    await present.receiveRequestedKeys()
    expect(present.open(owner, sealed)).toBe('{"content":"x"}')
    expect(present.open({ ...owner, id: 'p-1' }, sealed)).toBeUndefined()
    expect(present.publicHalf()).toMatchObject({ book: 'tutor' })
  })
})
