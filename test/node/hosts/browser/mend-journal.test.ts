// Mends a book in IndexedDB and one in OPFS after damage that leaves few pages, by the same rules as in Node.
import { beforeAll, expect, it, vi } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { extentBytes, type PageChange } from '../../../../src/core/journal.ts'
import type { Engine } from '../../../../src/engine/engine-shape.ts'
import { createEngine } from '../../../../src/engine/engine.ts'
import { openMendedJournal } from '../../../../src/hosts/browser/storage/mend-journal.ts'
import type { Suspicion } from '../../../../src/hosts/browser/storage/open-whole.ts'
import { type BookStorage, openOpfsDatabase } from '../../../../src/hosts/browser/storage/opfs-database.ts'
import { PageImage } from '../../../../src/hosts/browser/storage/page-image.ts'
import { causeText } from '../../../../src/store/repair/damage.ts'
import { readRepairReport } from '../../../../src/store/repair/repair-report.ts'
import { createTestTime } from '../../../support/test-engine.ts'
import { makeTrace } from '../../../support/trace.ts'
import { pageBytes } from '../../store/repair/broken-file.ts'
import { damages } from '../../store/repair/cut-case.ts'
import { FakeDisk } from './crash/fake-disk.ts'
import { loadBrowserSqlite, mount, mounted } from './crash/fake-opfs.ts'
import { MemoryJournals } from './journal/memory-journal.ts'

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

const { ports } = createTestTime()

interface Place {
  open(suspicion?: Suspicion): Promise<BookStorage>
  /** Replaces the bytes of the book's file. */
  damage(change: (file: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>): void
  /** Replaces what is stored for the commit in the middle; undefined in OPFS, where commits have no rows. */
  garble?(row: unknown): void
  /** The damaged files that are stored aside. */
  asides(): readonly number[]
}

function inJournal(): Place {
  let journals = new MemoryJournals()
  const asides: Uint8Array[] = []
  return {
    open: (suspicion) =>
      openMendedJournal(
        sqlite3,
        {
          name: 'b',
          openJournal: () => journals.open(),
          saveAside: async (_name, bytes) => asides.push(bytes),
          ...ports,
        },
        suspicion,
      ),
    damage(change) {
      const { sizeBytes, extents, changes } = journals.shelf
      const image = new PageImage(sizeBytes, extents, changes)
      const bytes = new Uint8Array(image.sizeBytes)
      image.read(bytes, 0)
      const damaged = change(bytes)
      journals = new MemoryJournals({
        writer: 9,
        sizeBytes: damaged.length,
        extents: Array.from({ length: Math.ceil(damaged.length / extentBytes) }, (_, i) => [
          i,
          damaged.slice(i * extentBytes, (i + 1) * extentBytes),
        ]),
        changes: [],
      })
    },
    garble(row) {
      const { shelf } = journals
      const middle = Math.floor(shelf.changes.length / 2)
      const changes = shelf.changes.map((one, i) => (i === middle ? (row as PageChange) : one))
      journals = new MemoryJournals({ ...shelf, changes })
    },
    asides: () => asides.map(({ length }) => length),
  }
}

let pools = 0
function inPool(): Place {
  const disk = new FakeDisk()
  return {
    open(suspicion) {
      mount(disk)
      return openOpfsDatabase(sqlite3, `cut-${++pools}`, mounted, suspicion)
    },
    damage(change) {
      for (const file of disk.files.values()) {
        const bytes = file.bytes.slice(0, file.size)
        if (new TextDecoder('latin1').decode(bytes.subarray(0, 14)) !== '/book.sqlite3\0') continue
        // The pool writes a page of its own before the database.
        const damaged = change(bytes.slice(pageBytes))
        file.resize(pageBytes)
        file.write(pageBytes, damaged)
      }
    },
    asides: () =>
      [...disk.files].filter(([name]) => name.startsWith('daybook-aside/')).map(([, { size }]) => size),
  }
}

/** Runs `work` in the engine of the open book; a second time after a repair, as a tab does after damage. */
async function work<Result>(
  place: Place,
  run: (engine: Engine, storage: BookStorage) => Promise<Result>,
): Promise<Result> {
  let suspicion: Suspicion | undefined
  for (;;) {
    const storage = await place.open(suspicion)
    let engine: Engine | undefined
    try {
      const { db, check } = storage
      engine = createEngine({
        db,
        ...(check ? { care: { check } } : {}),
        ports,
        name: 'b',
        scope: { agent: 'a' },
        durability: storage.durability,
      })
      const result = await run(engine, storage)
      await db.settled?.('write')
      return result
    } catch (error) {
      if (suspicion) throw error
      expect(error).toMatchObject({ code: 'storage-failed' })
      suspicion = { damaged: causeText(error) }
    } finally {
      if (engine) engine.close()
      else storage.db.close()
      await storage.release()
    }
  }
}

const store = (place: Place, id: string) =>
  work(place, async (engine, { db }) => {
    await engine.call('kstar:store_trace', makeTrace({ id, task: { goal: `A lighthouse ${id}` } }))
    const { hits } = (await engine.call('daybook:recall', { text: `lighthouse ${id}` })) as {
      hits: { record: { id: string } }[]
    }
    expect(hits.map(({ record }) => record.id)).toContain(id)
    const { total } = (await engine.call('kstar:count_traces', {})) as { total: number }
    const integrity = db.get('PRAGMA integrity_check')?.['integrity_check']
    return { total, integrity, mended: readRepairReport(db) !== undefined }
  })

const count = 200
async function fill(place: Place): Promise<void> {
  const traces = Array.from({ length: count }, (_, i) =>
    makeTrace({ id: `t-${i}`, task: { goal: `Goal ${i} of the harbour` } }),
  )
  await work(place, (engine) => engine.call('kstar:store_traces', { traces }))
}

it.each(damages)('opens and works: a book in IndexedDB and one in OPFS %s', async (_name, damage) => {
  for (const place of [inJournal(), inPool()]) {
    await fill(place)
    let size = 0
    place.damage((file) => {
      const damaged = damage(file)
      size = damaged.length
      return damaged
    })
    const first = await store(place, 'first')
    const second = await store(place, 'second')
    expect(second.total).toBe(first.total + 1)
    // A page that no call has read is not repaired yet.
    expect(place.asides().length > 0).toBe(second.mended)
    if (!second.mended) continue
    expect(second.integrity).toBe('ok')
    for (const bytes of place.asides()) expect(bytes).toBeGreaterThanOrEqual(size)
  }
})

it('gives the records back that a cut book in IndexedDB has left', async () => {
  const place = inJournal()
  await fill(place)
  place.damage((file) => file.slice(0, Math.floor(file.length * 0.95)))
  const { total } = await store(place, 'new')
  expect(total).toBeGreaterThan(count / 2)
  expect(total).toBeLessThan(count)
})

it.each([
  ['a text', 'garbage'],
  ['nothing', null],
  ['a number', 7],
  ['an object without pages', { sizeBytes: pageBytes, numbers: [0] }],
  ['a size that is no number', { sizeBytes: 'many', numbers: [], bytes: new Uint8Array() }],
])('repairs a book in IndexedDB in which a commit was replaced by %s', async (_name, row) => {
  const place = inJournal()
  await fill(place)
  for (let i = 0; i < 4; i++) await store(place, `more-${i}`)
  place.garble?.(row)
  const { total, integrity, mended } = await store(place, 'new')
  expect({ integrity, mended }).toEqual({ integrity: 'ok', mended: true })
  expect(total).toBeGreaterThan(1)
})

it.each([
  ['IndexedDB', inJournal],
  ['OPFS', inPool],
])(
  'changes nothing in a damaged book in %s while the repair can’t be loaded',
  async (_storage, makePlace) => {
    const place = makePlace()
    await fill(place)
    place.damage((file) => file.slice(0, Math.floor(file.length * 0.95)))
    const file = '../../../../src/store/repair/mend.ts'
    vi.doMock(file, () => Promise.reject(new TypeError('Failed to fetch dynamically imported module')))
    const suspicion = { damaged: 'database disk image is malformed' }
    await expect(place.open(suspicion)).rejects.toMatchObject({
      code: 'part-unavailable',
      details: { part: 'repair' },
    })
    expect(place.asides()).toEqual([])
    vi.doUnmock(file)
    expect((await store(place, 'new')).total).toBeGreaterThan(count / 2)
  },
)
