// A book whose keys are damaged or gone says which file, changes nothing, and names ways out that work.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-lost-vault-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Changes one byte in the middle of the file. */
function flip(path: string): void {
  const bytes = readFileSync(path)
  const middle = bytes.length >> 1
  bytes.writeUInt8(bytes.readUInt8(middle) ^ 1, middle)
  writeFileSync(path, bytes)
}

/** Puts in its place one of the keys of another book. */
async function takeFromOther(path: string): Promise<void> {
  const other = join(folder, 'other.daybook')
  await using book = await openDaybook({ name: 'b', path: other })
  await book.perceptions.store({ content: 'Takes nothing', sensitivity: 'sensitive' })
  copyFileSync(`${other}.vault`, path)
}

type Lose = (path: string) => unknown
const losses: Readonly<Record<string, readonly [file: string, lose: Lose]>> = {
  'the keys are empty': ['vault', (path) => truncateSync(path)],
  'the keys are cut': ['vault', (path) => truncateSync(path, 40)],
  'the key that opens them is gone': ['vault-key', (path) => rmSync(path)],
  'the key that opens them is empty': ['vault-key', (path) => truncateSync(path)],
  'a byte of the keys is another': ['vault', flip],
  'a byte of the key that opens them is another': ['vault-key', flip],
  'the keys are of another book': ['vault', takeFromOther],
  'the keys are JSON of something else': ['vault', (path) => writeFileSync(path, '{"version":1}')],
  'the keys are a folder': [
    'vault',
    (path) => {
      rmSync(path)
      mkdirSync(path)
    },
  ],
}

it.each(Object.keys(losses))('%s: the message says how to go on', async (loss) => {
  const [file, lose] = losses[loss] ?? expect.unreachable()
  const path = join(folder, `${loss.replaceAll(' ', '-')}.daybook`)
  const open = () => openDaybook({ name: 'b', path })
  let exported = ''
  {
    await using book = await open()
    await book.perceptions.store({ id: 'open', content: 'The harbour is closed' })
    await book.perceptions.store({ id: 'shut', content: 'Takes insulin', sensitivity: 'sensitive' })
    exported = (await book.seal.exportKeys({ passphrase: 'correct horse battery' })).text
  }
  await lose(`${path}.${file}`)
  const refused = { code: 'storage-failed', retry: false, details: { path: `${path}.${file}` } }
  const unfit = { ...refused, details: { path: `${path}.vault` } }
  for (let i = 0; i < 2; i++) {
    await using book = await open()
    const error = await failure(book.records.get({ id: 'open' }))
    // Of two that do not fit together nobody knows which one was changed: the way out is the same.
    expect(error).toMatchObject(error.message.includes('does not open with') ? unfit : refused)
    expect(error.message).toContain(`Restore it from a copy; or move ${path}.vault away`)
  }
  renameSync(`${path}.vault`, `${path}.vault-away`)
  await using book = await open()
  expect(await book.records.get({ id: 'open' })).toMatchObject({ content: 'The harbour is closed' })
  expect(JSON.stringify(await book.perceptions.query({}))).not.toContain('insulin')
  expect((await book.status()).degraded).toEqual([expect.stringMatching(/^locked: the keys .* are gone/)])
  await book.seal.importKeys({ text: exported, passphrase: 'correct horse battery' })
  expect(await book.records.get({ id: 'shut' })).toMatchObject({ content: 'Takes insulin' })
})

it('keys that could not be read once are read at the next call', async () => {
  const path = join(folder, 'once.daybook')
  const open = () => openDaybook({ name: 'b', path })
  {
    await using book = await open()
    await book.perceptions.store({ id: 'shut', content: 'Takes insulin', sensitivity: 'sensitive' })
  }
  renameSync(`${path}.vault`, `${path}.vault-away`)
  mkdirSync(`${path}.vault`)
  await using book = await open()
  expect((await failure(book.records.get({ id: 'shut' }))).code).toBe('storage-failed')
  rmSync(`${path}.vault`, { recursive: true })
  renameSync(`${path}.vault-away`, `${path}.vault`)
  expect(await book.records.get({ id: 'shut' })).toMatchObject({ content: 'Takes insulin' })
  await book.perceptions.store({ content: 'Takes more', sensitivity: 'sensitive' })
  expect(await book.seal.status()).toMatchObject({ state: 'open', unreadable: 0, others: [] })
})

const passphrase = 'correct horse battery'
const shut = { id: 'shut', content: 'Takes insulin', sensitivity: 'sensitive' } as const
const gone =
  /The keys that seal this book are gone: they were in \S+\.vault\. .*`seal\.importKeys`.*`seal\.rotate`/

it.each([['.vault'], ['.vault', '.vault-key']])(
  'keys that are gone are not made anew without a word (%s %s)',
  async (...files) => {
    const path = join(folder, `gone${files.length}.daybook`)
    const open = (given: { passphrase?: string } = {}) => openDaybook({ name: 'b', path, ...given })
    let exported = ''
    {
      await using book = await open()
      await book.perceptions.store(shut)
      exported = (await book.seal.exportKeys({ passphrase })).text
    }
    for (const file of files) rmSync(path + file)
    const lost = { code: 'locked', retry: false, details: { reason: 'keys-lost' } }
    {
      await using book = await open()
      expect((await book.status()).degraded).toEqual([
        expect.stringContaining(`locked: the keys that seal this book are gone: they were in ${path}.vault`),
      ])
      expect(await book.seal.status()).toMatchObject({ state: 'lost', unreadable: 1 })
      for (const call of [
        () => book.records.get({ id: 'shut' }),
        () => book.perceptions.store({ content: 'Takes more', sensitivity: 'sensitive' }),
        () => book.seal.exportKeys({ passphrase }),
        () => book.seal.guard({ passphrase }),
        () => book.seal.unlock({ passphrase }),
      ]) {
        const error = await failure(call())
        expect(error).toMatchObject(lost)
        expect(error.message).toMatch(gone)
      }
      // The book stores other records and masks secrets in them, as a locked book does.
      await book.perceptions.store({ id: 'open', content: 'postgres://app:q7RtcP0kz@db.internal/main' })
      expect(JSON.stringify(await book.records.get({ id: 'open' }))).not.toContain('q7RtcP0kz')
    }
    expect(await failure(open({ passphrase }))).toMatchObject(lost)
    expect(existsSync(`${path}.vault`)).toBe(false)
    await using book = await open()
    await book.seal.importKeys({ text: exported, passphrase })
    expect(await book.records.get({ id: 'shut' })).toMatchObject({ content: 'Takes insulin' })
    expect((await book.status()).degraded).toEqual([])
  },
)

it('keys that are lost for good are followed by new ones on purpose', async () => {
  const path = join(folder, 'rotated.daybook')
  const open = () => openDaybook({ name: 'b', path })
  {
    await using book = await open()
    await book.perceptions.store(shut)
  }
  rmSync(`${path}.vault`)
  await using book = await open()
  await book.seal.rotate()
  await book.perceptions.store({ id: 'more', content: 'Takes more', sensitivity: 'sensitive' })
  expect(await book.records.get({ id: 'more' })).toMatchObject({ content: 'Takes more' })
  expect((await failure(book.records.get({ id: 'shut' }))).details).toMatchObject({ reason: 'key-missing' })
  const { degraded } = await book.status()
  expect(degraded).toEqual([
    expect.stringMatching(/^locked: .*no key of this device opens\..*forget them\.$/),
  ])
  await book.records.forget({ id: 'shut' })
  expect((await book.status()).degraded).toEqual([])
})

it('a book that came sealed says so, and makes its own keys', async () => {
  const path = join(folder, 'first.daybook')
  let bundle = ''
  {
    await using book = await openDaybook({ name: 'b', path, passphrase })
    await book.perceptions.store(shut)
  }
  {
    await using locked = await openDaybook({ name: 'b', path })
    bundle = await new Response(await locked.export()).text()
  }
  await using book = await openDaybook({ name: 'b', path: join(folder, 'second.daybook') })
  await book.import(bundle)
  const degraded = [expect.stringMatching(/^locked: .*no key of this device opens/)]
  expect((await book.status()).degraded).toEqual(degraded)
  const { id } = await book.perceptions.store({ content: 'Takes more', sensitivity: 'sensitive' })
  expect(await book.records.get({ id })).toMatchObject({ content: 'Takes more' })
  expect((await book.status()).degraded).toEqual(degraded)
})

it('removes copies of its keys that a killed process left', async () => {
  const path = join(folder, 'killed.daybook')
  {
    await using book = await openDaybook({ name: 'b', path })
    await book.perceptions.store(shut)
  }
  const copies = [`${path}.vault.${crypto.randomUUID()}`, `${path}.vault-key.${crypto.randomUUID()}`]
  for (const copy of copies) copyFileSync(`${path}.vault`, copy)
  await using book = await openDaybook({ name: 'b', path })
  expect(await book.records.get({ id: 'shut' })).toMatchObject({ id: 'shut' })
  expect(copies.filter((copy) => existsSync(copy))).toEqual([])
})
