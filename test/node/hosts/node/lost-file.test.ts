// A book whose file is no book any more, beside a whole checkpoint: it comes back, and the status says so.
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, it, type TestContext } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-lost-file-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const losses: Readonly<Record<string, (path: string) => void>> = {
  'is gone': (path) => rmSync(path),
  'has no byte': (path) => truncateSync(path),
  'has one byte': (path) => truncateSync(path, 1),
  'is a text': (path) => writeFileSync(path, 'Another program wrote this.'),
  'is a database without tables': (path) => {
    rmSync(path)
    using db = new DatabaseSync(path)
    db.exec('VACUUM')
  },
  'is its checkpoint': (path) => copyFileSync(`${path}.checkpoint`, path),
  'is its checkpoint, moved there': (path) => renameSync(`${path}.checkpoint`, path),
}

const open = (path: string) => openDaybook({ name: 'lost', path })
const harbour = { id: 'one', content: 'The harbour is closed' }

/** A book with a record, closed, whose checkpoint has it. */
async function makeBook(path: string, { expect }: Pick<TestContext, 'expect'>) {
  await using book = await open(path)
  await book.perceptions.store(harbour)
  await expect
    .poll(async () => (await book.status()).checkpointAt, { timeout: 30_000 })
    .toEqual(expect.any(String))
}

it.concurrent.for(Object.keys(losses))(
  'comes back from its checkpoint where the file %s',
  async (loss, { expect }) => {
    const path = join(folder, `${loss.replaceAll(/\W/g, '-')}.daybook`)
    await makeBook(path, { expect })
    losses[loss]?.(path)
    await using book = await open(path)
    expect(await book.records.get({ id: 'one' })).toMatchObject(harbour)
    expect((await book.status()).degraded).toEqual([
      expect.stringContaining('1 records came back from the checkpoint'),
    ])
  },
)

it.concurrent(
  'a file that is gone is called so, and none is made to be the damaged one',
  async ({ expect }) => {
    const place = join(folder, 'gone')
    mkdirSync(place)
    const path = join(place, 'lost.daybook')
    await makeBook(path, { expect })
    rmSync(path)
    // Again, too: for a week.
    for (let i = 0; i < 2; i++) {
      await using book = await open(path)
      expect((await book.status()).degraded).toEqual([
        expect.stringMatching(
          /^mended: on \S+ the file was gone; 1 records came back from the checkpoint of \S+\. 1 records and \d unsent changes are here; everything else is lost\.$/,
        ),
      ])
      expect(readdirSync(place).filter((name) => /damaged|mending/.test(name))).toEqual([])
    }
  },
)

it.concurrent('a log whose file is gone is set aside, and named', async ({ expect }) => {
  const place = join(folder, 'gone-log')
  mkdirSync(place)
  const path = join(place, 'lost.daybook')
  await makeBook(path, { expect })
  rmSync(path)
  writeFileSync(`${path}-wal`, 'left behind')
  await using book = await open(path)
  const asides = readdirSync(place).filter((name) => name.includes('.damaged-'))
  expect(asides).toEqual([expect.stringMatching(/-wal$/)])
  expect(readFileSync(join(place, asides[0] ?? ''), 'utf8')).toBe('left behind')
  expect((await book.status()).degraded).toEqual([
    expect.stringContaining(`Its log is ${join(place, asides[0] ?? '')}. Delete it`),
  ])
})

it.concurrent.for(['gone', 'empty'])(
  'a file without a checkpoint that is %s begins empty, and is called evicted',
  async (loss, { expect }) => {
    const path = join(folder, `evicted-${loss}.daybook`)
    const alone = { name: 'lost', path, checkpoint: false }
    {
      await using book = await openDaybook(alone)
      expect((await book.status()).degraded).toEqual([])
      await book.perceptions.store(harbour)
    }
    if (loss === 'gone') rmSync(path)
    else truncateSync(path)
    // Again, too.
    for (let i = 0; i < 2; i++) {
      await using book = await openDaybook(alone)
      expect((await book.perceptions.query()).records).toEqual([])
      expect((await book.status()).degraded).toEqual([expect.stringMatching(/^evicted: /)])
    }
  },
)

it.concurrent('is refused where the file is another book, and both are whole', async ({ expect }) => {
  const path = join(folder, 'swapped.daybook')
  await makeBook(path, { expect })
  rmSync(path)
  const other = join(folder, 'other.daybook')
  {
    await using book = await openDaybook({ name: 'other', path: other, checkpoint: false })
    await book.perceptions.store({ id: 'two', content: 'The market is open' })
  }
  copyFileSync(other, path)
  const bytes = [path, `${path}.checkpoint`].map((file) => readFileSync(file))
  const refused = { code: 'storage-failed', retry: false, details: { path, reason: 'other-book' } }
  // Again, too: the first opening changed nothing.
  for (let i = 0; i < 2; i++) await expect(open(path)).rejects.toMatchObject(refused)
  expect(
    [path, `${path}.checkpoint`].map((file) => readFileSync(file).equals(bytes.shift() ?? Buffer.alloc(0))),
  ).toEqual([true, true])
  // The ways out that the message names.
  renameSync(path, `${path}.away`)
  {
    await using book = await open(path)
    expect(await book.records.get({ id: 'one' })).toMatchObject(harbour)
  }
  renameSync(`${path}.away`, path)
  rmSync(`${path}.checkpoint`)
  await using book = await open(path)
  expect(await book.records.get({ id: 'two' })).toMatchObject({ content: 'The market is open' })
})

it.concurrent(
  'takes what came later from its checkpoint where an older file was put back',
  async ({ expect }) => {
    const path = join(folder, 'older.daybook')
    const kept = async () => {
      await using book = await open(path)
      const { records } = await book.perceptions.query({ orderBy: 'id' })
      return { ids: records.map(({ id }) => id), ...(await book.status()) }
    }
    {
      await using book = await open(path)
      for (const id of ['forgotten', 'purged'])
        await book.perceptions.store({ id, content: `zanzibar ${id}` })
      await book.perceptions.update({ id: 'purged', updates: { content: 'zanzibar, purged later' } })
    }
    await makeBook(path, { expect })
    copyFileSync(path, `${path}.older`)
    {
      await using book = await open(path)
      await book.records.forget({ id: 'forgotten' })
      await book.records.purge({ id: 'purged' })
      await book.perceptions.update({ id: 'one', updates: { content: 'The harbour is open' } })
      await book.perceptions.store({ id: 'two', content: 'The market is open' })
      const written = new Date().toISOString()
      const isCopied = async () => ((await book.status()).checkpointAt ?? '') > written
      await expect.poll(isCopied, { timeout: 30_000 }).toBe(true)
    }
    copyFileSync(`${path}.older`, path)
    {
      await using book = await open(path)
      expect(await book.records.get({ id: 'one' })).toMatchObject({ content: 'The harbour is open' })
      expect(await book.records.history({ id: 'purged' })).toMatchObject({
        versions: [{ op: 'forget' }],
      })
    }
    const { ids, degraded } = await kept()
    expect(ids).toEqual(['one', 'two'])
    expect(degraded).toEqual([expect.stringContaining('older than its checkpoint')])
    expect(readFileSync(path, 'latin1')).not.toContain('zanzibar, purged')
    // The way back that the status names.
    rmSync(`${path}.checkpoint`)
    copyFileSync(`${path}.older`, path)
    expect((await kept()).ids).toEqual(['forgotten', 'one', 'purged'])
  },
)

it.concurrent('is refused where it is damaged and its checkpoint is of another file', async ({ expect }) => {
  const [path, other] = ['mine', 'theirs'].map((name) => join(folder, `${name}.daybook`)) as [string, string]
  for (const each of [path, other]) await makeBook(each, { expect })
  copyFileSync(`${other}.checkpoint`, `${path}.checkpoint`)
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 4096)
  writeFileSync(path, bytes)
  await expect(open(path)).rejects.toMatchObject({
    message: expect.stringContaining('theirs.daybook'),
    retry: false,
    details: { reason: 'other-book', path },
  })
  expect(readFileSync(path).equals(bytes)).toBe(true)
})

it.concurrent('is refused where the file is a database of another program', async ({ expect }) => {
  const path = join(folder, 'notes.daybook')
  await makeBook(path, { expect })
  rmSync(path)
  {
    using db = new DatabaseSync(path)
    db.exec('CREATE TABLE notes (text)')
  }
  const bytes = readFileSync(path)
  await expect(open(path)).rejects.toMatchObject({ details: { reason: 'not-a-book', path } })
  expect(readFileSync(path).equals(bytes)).toBe(true)
  renameSync(path, `${path}.away`)
  await using book = await open(path)
  expect(await book.records.get({ id: 'one' })).toMatchObject(harbour)
})

it.concurrent.for(['delete', 'wal'])(
  'begins no book in a database of another program (journal_mode=%s)',
  async (mode, { expect }) => {
    const path = join(folder, `program-${mode}.db`)
    {
      using db = new DatabaseSync(path)
      db.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')`)
    }
    const before = readFileSync(path)
    await expect(open(path)).rejects.toMatchObject({
      code: 'storage-failed',
      details: { reason: 'not-a-book' },
    })
    expect(readFileSync(path).equals(before)).toBe(true)
    using db = new DatabaseSync(path)
    expect(db.prepare('SELECT name FROM sqlite_master').all()).toEqual([{ name: 'notes' }])
  },
)
