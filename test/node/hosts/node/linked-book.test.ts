// A book that is opened by a link and by its own path: all its files are beside the file to which the link leads, so both
// paths use the same checkpoint, reserve and marks.
import fs, {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { importOnce } from '../../../../src/hosts/node/cli/staged-book.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'

const root = mkdtempSync(join(realpathSync(tmpdir()), 'daybook-linked-book-'))
const remove = fs.rmSync
const restore = () => {
  fs.rmSync = remove
  syncBuiltinESMExports()
}
afterEach(restore)
afterAll(() => rmSync(root, { recursive: true, force: true }))
let serial = 0

/** A link in a folder of its own to a file that is missing yet. */
function newPlace(): { real: string; link: string; disk: string; folder: string } {
  const place = join(root, String(++serial))
  const [disk, folder] = [join(place, 'disk'), join(place, 'links')]
  for (const one of [disk, folder]) mkdirSync(one, { recursive: true })
  const [real, link] = [join(disk, 'real.daybook'), join(folder, 'link.daybook')]
  symlinkSync('../disk/real.daybook', link)
  return { real, link, disk, folder }
}

const open = (path: string) => openDaybook({ name: 'b', path })
const texts = async (book: Daybook) =>
  (await book.perceptions.query()).records.map(({ content }) => content).toSorted()
/** Runs `work` with the book at `path`, and closes the book. */
async function using<Result>(path: string, work: (book: Daybook) => Promise<Result>): Promise<Result> {
  await using book = await open(path)
  return await work(book)
}
const store = (path: string, content: string) =>
  using(path, (book) => book.perceptions.store({ id: 'one', content }))
const query = (path: string) => using(path, texts)
const makeCheckpoint = (path: string) =>
  using(path, async (book) => {
    await expect.poll(async () => (await book.status()).checkpointAt, { timeout: 15_000 }).toBeDefined()
  })
const filesWith = (text: string, ...folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(folder).filter((name) => {
      const path = join(folder, name)
      return existsSync(path) && readFileSync(path).includes(text)
    }),
  )

it('a text that is purged by one path stays in no file of the other', { timeout: 30_000 }, async () => {
  const { real, link, disk, folder } = newPlace()
  await store(link, 'hippopotamus')
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  await makeCheckpoint(link)
  expect(readdirSync(folder)).toEqual(['link.daybook'])
  await using(real, (book) => book.records.purge({ id: 'one' }))
  expect(filesWith('hippopotamus', disk, folder)).toEqual([])
  truncateSync(real, 0)
  expect(await query(link)).toEqual([])
})

it('a lost file comes back where the link leads', { timeout: 30_000 }, async () => {
  const { real, link } = newPlace()
  await store(link, 'hippopotamus')
  await makeCheckpoint(link)
  rmSync(real)
  expect(await query(link)).toEqual(['hippopotamus'])
  expect([lstatSync(link).isSymbolicLink(), lstatSync(real).isFile()]).toEqual([true, true])
  expect(await query(real)).toEqual(['hippopotamus'])
})

it('a book that is erased by its own path stays erased', { timeout: 30_000 }, async () => {
  const { real, link, disk, folder } = newPlace()
  await store(link, 'hippopotamus')
  await makeCheckpoint(link)
  await using(real, (book) => book.erase({ confirm: 'b' }))
  expect([readdirSync(disk), readdirSync(folder)]).toEqual([[], ['link.daybook']])
  expect(await query(link)).toEqual([])
})

it('an erasure by a link that fails is finished by the own path', async () => {
  const { real, link, disk } = newPlace()
  await store(real, 'hippopotamus')
  const book = await open(link)
  fs.rmSync = (target, options) => {
    if (target === real)
      throw Object.assign(new Error('EPERM'), { code: 'EPERM', syscall: 'unlink', path: real })
    remove(target, options)
  }
  syncBuiltinESMExports()
  expect((await failure(book.erase({ confirm: 'b' }))).details).toEqual({ path: real, reason: 'erasing' })
  restore()
  expect(readdirSync(disk)).toContain('real.daybook.erasing')
  expect(await query(real)).toEqual([])
  await store(real, 'giraffe')
  expect(await query(link)).toEqual(['giraffe'])
})

it('an erasure takes the link by which the book was opened, and the files that older versions left beside it', async () => {
  const { link, disk, folder } = newPlace()
  await store(link, 'hippopotamus')
  for (const suffix of ['.checkpoint', '.reserve', '.damaged-2026-01-01T00-00-00.000Z'])
    writeFileSync(link + suffix, 'hippopotamus')
  writeFileSync(join(folder, 'link.daybook2'), '')
  await using(link, (book) => book.erase({ confirm: 'b' }))
  expect([readdirSync(disk), readdirSync(folder)]).toEqual([[], ['link.daybook2']])
})

it('opening by a link deletes the copies that older versions left beside it', async () => {
  const { real, link, folder } = newPlace()
  await store(real, 'giraffe')
  for (const suffix of ['.checkpoint', '.checkpoint-wal', '.reserve', '.mending', '.mending-source'])
    writeFileSync(link + suffix, 'hippopotamus')
  expect(await query(link)).toEqual(['giraffe'])
  expect(readdirSync(folder)).toEqual(['link.daybook'])
})

it('a mark of an older erasure beside a link is honoured, unless the book was written since', async () => {
  const { real, link, folder } = newPlace()
  const mark = `${link}.erasing`
  await store(real, 'hippopotamus')
  writeFileSync(mark, '')
  expect(await query(link)).toEqual([])
  expect(readdirSync(folder)).toEqual(['link.daybook'])
  await store(real, 'giraffe')
  writeFileSync(mark, '')
  const dayAgo = Date.now() / 1000 - 86_400
  utimesSync(mark, dayAgo, dayAgo)
  const error = await failure(open(link))
  expect(error).toMatchObject({ code: 'storage-failed', details: { path: mark, reason: 'erasing' } })
  expect(await query(real)).toEqual(['giraffe'])
  rmSync(mark)
  expect(await query(link)).toEqual(['giraffe'])
})

it('a link to a link, and a linked folder, lead to one book', async () => {
  const { real, link, disk, folder } = newPlace()
  const [second, linked] = [join(folder, 'second.daybook'), join(folder, 'linked')]
  symlinkSync('link.daybook', second)
  symlinkSync('../disk', linked)
  await store(second, 'hippopotamus')
  await using first = await open(real)
  for (const path of [second, link, join(linked, 'real.daybook')])
    expect(await query(path)).toEqual(['hippopotamus'])
  expect((await first.status()).owner).toBe(true)
  expect(readdirSync(folder).toSorted()).toEqual(['link.daybook', 'linked', 'second.daybook'])
  expect(readdirSync(disk)).toContain('real.daybook')
})

const importInto = (path: string, content: string) =>
  importOnce((book) => book.perceptions.store({ content }), {
    bookFile: path,
    open: ({ file = path } = {}) => openDaybook({ name: 'b', path: file, share: false }),
  })

it('an import makes the book where a link leads, after an erasure that was cut', async () => {
  const { real, link, disk, folder } = newPlace()
  for (const mark of [link, real]) {
    writeFileSync(`${mark}.erasing`, '')
    await importInto(link, 'giraffe')
    expect(await query(link)).toEqual(['giraffe'])
    expect([readdirSync(folder), readdirSync(disk).filter((name) => /new|erasing/.test(name))]).toEqual([
      ['link.daybook'],
      [],
    ])
    rmSync(real)
  }
  rmSync(disk, { recursive: true })
  expect((await failure(importInto(link, 'giraffe'))).details).toMatchObject({ reason: 'cannot-open' })
  expect(existsSync(disk)).toBe(false)
})

it('no folder is made where a link leads: its disk may not be mounted', async () => {
  const { link, disk } = newPlace()
  rmSync(disk, { recursive: true })
  expect((await failure(open(link))).details).toMatchObject({ reason: 'cannot-open' })
  expect(existsSync(disk)).toBe(false)
})
