// The keys of a book that is reached by a link, and key files that are links.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { breakPages, rootOf } from '../../store/repair/broken-file.ts'

const root = mkdtempSync(join(realpathSync(tmpdir()), 'daybook-linked-key-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const opened: Daybook[] = []
afterEach(async () => {
  for (const book of opened.splice(0)) await book.close()
})

let serial = 0
/** A book on a disk with a sealed record and a signed token, and a link to it in another folder. */
async function newBook(): Promise<{ real: string; link: string; disk: string; folder: string }> {
  const place = join(root, String(++serial))
  const [disk, folder] = [join(place, 'disk'), join(place, 'links')]
  for (const one of [disk, folder]) mkdirSync(one, { recursive: true })
  const [real, link] = [join(disk, 'b.daybook'), join(folder, 'b.daybook')]
  const book = await open(real)
  await store(book, 'Takes insulin')
  await grant(book)
  await book.close()
  symlinkSync(real, link)
  return { real, link, disk, folder }
}

async function open(path: string, options: object = {}): Promise<Daybook> {
  const book = await openDaybook({ name: 'b', path, ...options })
  opened.push(book)
  return book
}

const store = (book: Daybook, content: string) =>
  book.perceptions.store({ content, sensitivity: 'sensitive' })
const texts = async (book: Daybook) =>
  (await book.perceptions.query()).records.map(({ content }) => content).toSorted()
const grant = async (book: Daybook): Promise<string> => {
  const expiry = { granted_to: 'x', expires_at: '2099-01-01' }
  return (await book.tokens.grant({ scope: '**', permissions: ['read'], ...expiry })).token.granted_by
}
const keys = ['.key', '.vault', '.vault-key']
const keysIn = (folder: string) =>
  readdirSync(folder).filter((name) => keys.some((suffix) => name.endsWith(suffix)))
const moveKeys = (from: string, to: string) => {
  for (const suffix of keys) renameSync(from + suffix, to + suffix)
}

it('are one set for the link and the file, whichever process is the owner', async () => {
  const { real, link, folder } = await newBook()
  const first = await open(real)
  const signer = await grant(first)
  const second = await open(link)
  await first.close()
  expect([(await second.status()).owner, (await second.seal.status()).state]).toEqual([true, 'open'])
  expect([await texts(second), await grant(second)]).toEqual([['Takes insulin'], signer])
  await second.seal.rotate()
  await store(second, 'Takes aspirin')
  await second.close()
  expect(keysIn(folder)).toEqual([])
  expect(await texts(await open(real))).toEqual(['Takes aspirin', 'Takes insulin'])
})

it('are moved from beside the link, where an earlier Daybook stored them', async () => {
  const { real, link, folder } = await newBook()
  const before = keys.map((suffix) => readFileSync(real + suffix))
  moveKeys(real, link)
  expect(await texts(await open(link))).toEqual(['Takes insulin'])
  expect([keysIn(folder), keys.map((suffix) => readFileSync(real + suffix))]).toEqual([[], before])
})

it('finishes a move that was cut', async () => {
  const { real, link, folder } = await newBook()
  const steps = {
    'one is copied': () => rmSync(`${real}.vault`),
    'all are copied': () => undefined,
    'one is removed': () => rmSync(`${link}.vault`),
  }
  for (const [step, cut] of Object.entries(steps)) {
    for (const suffix of keys) copyFileSync(real + suffix, link + suffix)
    cut()
    const book = await open(link)
    expect([step, await texts(book), keysIn(folder)]).toEqual([step, ['Takes insulin'], []])
    await book.close()
  }
})

it('stay where they are if both places have others', async () => {
  const { real, link, folder } = await newBook()
  moveKeys(real, link)
  {
    // The keys are lost for this opening, so it makes new ones.
    const book = await open(real)
    await book.seal.rotate()
    await store(book, 'Takes aspirin')
    await book.close()
  }
  const first = await open(link)
  expect([await texts(first), keysIn(folder)]).toEqual([
    ['Takes insulin'],
    ['b.daybook.vault', 'b.daybook.vault-key'],
  ])
  await first.close()
  expect(await texts(await open(real))).toEqual(['Takes aspirin'])
})

it.each(['link', 'real'] as const)(
  'are used where a link beside the %s leads, and are not deleted',
  async (at) => {
    const { real, link } = await newBook()
    const [from, to] = at === 'link' ? [link, real] : [real, link]
    if (at === 'real') moveKeys(real, link)
    for (const suffix of keys) symlinkSync(to + suffix, from + suffix)
    for (const path of [link, real]) {
      const book = await open(path)
      expect(await texts(book)).toEqual(['Takes insulin'])
      await book.close()
    }
  },
)

it('stay beside the file when it is repaired by a link, and an erasure takes them', async () => {
  const { real, link, disk, folder } = await newBook()
  breakPages(real, [rootOf(real, 'book')])
  const book = await open(link)
  expect([await texts(book), readdirSync(folder)]).toEqual([['Takes insulin'], ['b.daybook']])
  expect(keysIn(disk)).toHaveLength(3)
  await book.erase({ confirm: 'b' })
  expect([readdirSync(folder), keysIn(disk)]).toEqual([[], []])
})

it('a vault that is a link is written where it leads, and erased there; a signing key is not', async () => {
  const { real, disk, folder } = await newBook()
  const safe = join(folder, 'safe')
  mkdirSync(safe)
  for (const suffix of keys) {
    renameSync(real + suffix, join(safe, basename(real) + suffix))
    symlinkSync(join(safe, basename(real) + suffix), real + suffix)
  }
  const before = readFileSync(`${real}.vault`, 'utf8')
  const book = await open(real)
  await book.seal.guard({ passphrase: 'correct horse battery' })
  const after = readFileSync(join(safe, 'b.daybook.vault'), 'utf8')
  expect([after === before, after.includes('PBKDF2'), readFileSync(`${real}.vault`, 'utf8')]).toEqual([
    false,
    true,
    after,
  ])
  await book.erase({ confirm: 'b' })
  expect([readdirSync(disk), readdirSync(safe)]).toEqual([[], ['b.daybook.key']])
  expect(existsSync(real)).toBe(false)
})
