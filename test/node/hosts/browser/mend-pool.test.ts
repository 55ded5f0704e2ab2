// Mends the file of a book in the browser's pool: over the real pool and SQLite, and killed at every step of the disk.
import { beforeAll, expect, it } from 'vitest'
import type { Sqlite3Static } from '@sqlite.org/sqlite-wasm'
import { createEngine } from '../../../../src/engine/engine.ts'
import { openOpfsDatabase } from '../../../../src/hosts/browser/storage/opfs-database.ts'
import { Settings } from '../../../../src/store/schema/settings.ts'
import { makeTrace } from '../../../support/trace.ts'
import { apply, copyOf, type DiskFile, FakeDisk, type Image } from './crash/fake-disk.ts'
import { loadBrowserSqlite, mount, mounted } from './crash/fake-opfs.ts'
import { createTestTime } from '../../../support/test-engine.ts'

const pageBytes = 4096
const count = 120

let sqlite3: Sqlite3Static
beforeAll(async () => {
  sqlite3 = await loadBrowserSqlite()
})

let pools = 0
/** A pool that is started from nothing, as in another worker. */
const openAnew = (damaged?: string) =>
  openOpfsDatabase(sqlite3, `mend-${++pools}`, mounted, damaged === undefined ? undefined : { damaged })

/** A book, closed after somebody found it damaged, with the page that holds one of its records broken. */
async function damagedDisk({ isCopied = false } = {}): Promise<Map<string, DiskFile>> {
  const disk = new FakeDisk()
  mount(disk)
  const { db, release, checkpointFile } = await openAnew()
  const { ports, pass } = createTestTime()
  const engine = createEngine({
    db,
    ports,
    name: 'b',
    scope: { agent: 'a' },
    durability: 'opfs',
    ...(isCopied && checkpointFile
      ? {
          checkpointFile: {
            file: checkpointFile,
            isWanted: true,
          },
        }
      : {}),
  })
  const traces = Array.from({ length: count }, (_, i) =>
    makeTrace({
      id: `t-${i}`,
      timestamp: '2026-03-01T10:00:00Z',
      task: { goal: `Goal ${i} of the harbour` },
    }),
  )
  await engine.call('kstar:store_traces', { traces })
  if (isCopied) await pass(20_000)
  db.transaction(() => new Settings(db).set('open', 'damaged'))
  engine.close()
  await release()
  for (const file of disk.files.values()) {
    const text = new TextDecoder('latin1').decode(file.bytes)
    const at = text.indexOf('Goal 77 of the harbour')
    if (text.startsWith('/book.sqlite3') && at >= 0)
      file.bytes.fill(0xa5, at - (at % pageBytes), at - (at % pageBytes) + pageBytes)
  }
  return disk.files
}

async function look(files: Map<string, DiskFile>, damaged?: string) {
  const disk = new FakeDisk(files)
  mount(disk)
  const { db, release, mended } = await openAnew(damaged)
  const goals = db
    .all<{ goal: string }>("SELECT body ->> 'task.goal' AS goal FROM records ORDER BY seq")
    .map(({ goal }) => goal)
  const said = {
    goals: goals.length,
    unsent: db.get('SELECT count(*) AS n FROM ops')?.['n'],
    integrity: db.get('PRAGMA integrity_check')?.['integrity_check'],
    told: (await mended?.())?.join(),
    kept: [...files.keys()].filter((name) => name.startsWith('daybook-aside/')),
  }
  db.close()
  await release()
  return { said, log: disk.log, files }
}

const asideOf = (files: Image, path: string | undefined) => files.get(path ?? '')?.size

it('takes over what can be read, and keeps the damaged file', async () => {
  const damaged = await damagedDisk()
  const { said, files } = await look(copyOf(damaged))
  expect(said).toMatchObject({ integrity: 'ok', kept: [expect.stringMatching(/^daybook-aside\/mend-/)] })
  expect(said.goals).toBeLessThan(count)
  expect(said.goals).toBeGreaterThan(count - 10)
  expect(said.unsent).toBe(said.goals)
  expect(said.told).toContain(said.kept[0])
  expect(asideOf(files, said.kept[0])).toBeGreaterThan(100_000)
  // And does so once.
  const again = await look(files)
  expect(again.said).toEqual(said)
})

it('ends whole, with what the checkpoint gives back, wherever it is killed', async () => {
  const damaged = await damagedDisk({ isCopied: true })
  const { said, log, files } = await look(copyOf(damaged))
  expect(said.goals).toBe(count)
  expect(said.told).toMatch(/records came back from the checkpoint/)
  const live = copyOf(damaged)
  expect(log.length).toBeGreaterThan(50)
  for (const step of log) {
    const { said: after, files: now } = await look(copyOf(live))
    expect(after).toMatchObject({ goals: said.goals, unsent: said.unsent, integrity: 'ok' })
    const sizes = after.kept.map((name) => now.get(name)?.size)
    expect(sizes).toContain(asideOf(files, said.kept[0]))
    apply(live, step)
  }
})

it('mends what cannot be opened at all from its bare pages, and from the checkpoint', async () => {
  const damaged = await damagedDisk()
  const breakAll = (files: Map<string, DiskFile>) => {
    for (const file of files.values())
      if (new TextDecoder('latin1').decode(file.bytes).startsWith('/book.sqlite3'))
        file.bytes.fill(0xa5, pageBytes, 2 * pageBytes)
  }
  breakAll(damaged)
  const { said } = await look(damaged)
  expect(said.goals).toBeGreaterThan(count * 0.8)
  expect(said.integrity).toBe('ok')
  expect(said.told).toContain('not all of book, records could be read')
  expect(said.told).toContain('records came from pages that no table linked')
  expect(said.kept).toHaveLength(1)

  const copied = await damagedDisk({ isCopied: true })
  breakAll(copied)
  expect((await look(copied)).said).toMatchObject({ goals: count, unsent: count, integrity: 'ok' })
})

/** The file of the pool that begins with `path`, and what happens to it. */
const losses: Readonly<Record<string, (files: Map<string, DiskFile>, name: string) => void>> = {
  'has not a byte': (files, name) => files.get(name)?.resize(pageBytes),
  'was cut with its name': (files, name) => files.get(name)?.resize(0),
  'is gone': (files, name) => void files.delete(name),
  // Begun as SQLite begins one.
  'is an empty database': (files, name) => {
    const file = files.get(name)
    file?.resize(2 * pageBytes)
    file?.bytes.fill(0, pageBytes + 100)
    file?.write(pageBytes + 28, new Uint8Array([0, 0, 0, 1]))
    file?.write(pageBytes + 40, new Uint8Array(4))
    file?.write(pageBytes + 52, new Uint8Array(4))
    file?.write(pageBytes + 100, new Uint8Array([13, 0, 0, 0, 0, 0x10, 0, 0]))
  },
}

const nameOf = (files: Map<string, DiskFile>, path: string) => {
  const found = [...files].find(([, { bytes }]) => {
    const text = new TextDecoder('latin1').decode(bytes.subarray(0, 512))
    return text.startsWith(`${path}\0`)
  })
  return found?.[0] ?? ''
}

it.each(Object.keys(losses))(
  'gives a book whose file %s back from its checkpoint, and says so',
  async (how) => {
    const files = await damagedDisk({ isCopied: true })
    losses[how]?.(files, nameOf(files, '/book.sqlite3'))
    const { said, log, files: after } = await look(copyOf(files))
    expect(said).toMatchObject({ goals: count, unsent: count, integrity: 'ok' })
    expect(said.told).toContain(`${count} records came back from the checkpoint`)
    // Of a file that is not there none is made to be the damaged one.
    const isGone = ['is gone', 'was cut with its name'].includes(how)
    expect([said.kept.length, said.told?.includes('the file was gone')]).toEqual([isGone ? 0 : 1, isGone])
    // And does so once, also where it was killed in the middle.
    expect((await look(after)).said).toEqual(said)
    const live = copyOf(files)
    for (const step of log) {
      expect((await look(copyOf(live))).said).toMatchObject({ goals: count, unsent: count, integrity: 'ok' })
      apply(live, step)
    }
  },
)

it('gives a book whose file is gone, and that has no checkpoint, back from its log', async () => {
  const disk = new FakeDisk()
  mount(disk)
  const { db, release } = await openAnew()
  const engine = createEngine({
    db,
    ports: createTestTime().ports,
    name: 'b',
    scope: { agent: 'a' },
    durability: 'opfs',
  })
  await engine.call('kstar:store_traces', { traces: [makeTrace({ id: 't-1' })] })
  const files = copyOf(disk.files)
  engine.close()
  await release()
  files.delete(nameOf(files, '/book.sqlite3'))
  const { said } = await look(files)
  expect(said).toMatchObject({ goals: 1, unsent: 1, integrity: 'ok' })
  expect(said.told).toContain('the file was gone')
})

it('begins a new book where there is neither, without a word', async () => {
  mount(new FakeDisk())
  const { db, release, mended } = await openAnew()
  expect(db.all('SELECT name FROM sqlite_master')).toEqual([])
  expect(await mended?.()).toEqual([])
  db.close()
  await release()
})
