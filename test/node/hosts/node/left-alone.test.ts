// A link, or a folder, where a book keeps a file beside it stays as it is, and so does what the link leads to; the book works on.
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { checkpointAt, hasCopy } from '../../../../src/hosts/node/book/checkpoint-file.ts'
import { openDaybook } from '../../../../src/hosts/node/index.ts'
import { failure } from '../../../contract/book-case.ts'

const root = mkdtempSync(join(tmpdir(), 'daybook-left-alone-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
let places = 0
const newPlace = () => {
  const place = join(root, String(++places))
  mkdirSync(place)
  return { path: join(place, 'b.daybook'), victim: join(place, 'victim') }
}
const open = (path: string) => openDaybook({ name: 'b', path })
const words = 'precious text'
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const store = async (path: string) => {
  await using book = await open(path)
  await book.perceptions.store({ id: 'one', content: 'The harbour is closed' })
}

const lacks: Readonly<Record<string, string>> = {
  '.reserve': 'no space is reserved for a full disk',
  '.checkpoint': 'no copy of the records is made',
  '.checkpoint-wal': 'no copy of the records is made',
  '.mending': "a damaged book can't be repaired",
  '.mending-lock': "a damaged book can't be repaired",
  '.mending-source': "a damaged book can't be repaired",
  '.erasing': "the book can't be erased",
}

it.concurrent.for(Object.keys(lacks))(
  'nothing is written through a link in the place of %s',
  async (suffix, { expect }) => {
    const { path, victim } = newPlace()
    writeFileSync(victim, words)
    chmodSync(victim, 0o644)
    symlinkSync(victim, path + suffix)
    await using book = await open(path)
    await book.perceptions.store({ id: 'one', content: 'The harbour is closed' })
    expect(await book.records.get({ id: 'one' })).toMatchObject({ content: 'The harbour is closed' })
    expect((await book.status()).degraded).toEqual([
      `left-alone: ${path}${suffix} is a link and not a file of this book: it stays as it is, and ${lacks[suffix]}. Move it away, and open the book again.`,
    ])
    await book.close()
    expect([readFileSync(victim, 'utf8'), modeOf(victim)]).toEqual([words, '644'])
    expect(lstatSync(path + suffix).isSymbolicLink()).toBe(true)
    // The way out.
    renameSync(path + suffix, `${path}.away`)
    await using again = await open(path)
    expect((await again.status()).degraded).toEqual([])
  },
)

it('a link that leads nowhere makes no file there', async () => {
  for (const suffix of Object.keys(lacks)) {
    const { path, victim } = newPlace()
    symlinkSync(victim, path + suffix)
    await store(path)
    expect([suffix, existsSync(victim), lstatSync(path + suffix).isSymbolicLink()]).toEqual([
      suffix,
      false,
      true,
    ])
  }
})

it('a checkpoint is neither made nor removed through a link', () => {
  const { path, victim } = newPlace()
  symlinkSync(victim, `${path}.checkpoint`)
  const file = checkpointAt(path)
  expect([file.exists(), file.fits(0), hasCopy(path)]).toEqual([false, false, false])
  expect(() => file.open()).toThrow(`${path}.checkpoint is a link`)
  file.remove()
  expect([existsSync(victim), lstatSync(`${path}.checkpoint`).isSymbolicLink()]).toEqual([false, true])
})

it('a folder and a pipe are left alone', async () => {
  const { path } = newPlace()
  mkdirSync(`${path}.reserve`, { mode: 0o755 })
  execFileSync('mkfifo', [`${path}.checkpoint`])
  chmodSync(`${path}.checkpoint`, 0o644)
  await using book = await open(path)
  await book.perceptions.store({ id: 'one', content: 'The harbour is closed' })
  expect((await book.status()).degraded).toEqual([
    expect.stringContaining('.reserve is a folder and not a file of this book'),
    expect.stringContaining('.checkpoint is no regular file and not a file of this book'),
  ])
  expect([modeOf(`${path}.reserve`), modeOf(`${path}.checkpoint`)]).toEqual(['755', '644'])
  await book.erase({ confirm: 'b' })
  expect([existsSync(path), existsSync(`${path}.reserve`), existsSync(`${path}.checkpoint`)]).toEqual([
    false,
    true,
    true,
  ])
})

it.each(['.mending', '.mending-source'])('a damaged book waits until %s is moved away', async (suffix) => {
  const { path, victim } = newPlace()
  await store(path)
  writeFileSync(victim, words)
  symlinkSync(victim, path + suffix)
  const bytes = readFileSync(path)
  bytes.fill(0xa5, 0, 100)
  writeFileSync(path, bytes)
  const error = await failure(open(path))
  expect(error).toMatchObject({ code: 'storage-failed', retry: false, details: { path: path + suffix } })
  expect(error.message).toContain(`${path}${suffix} is a link and not a file of this book`)
  expect([readFileSync(victim, 'utf8'), readFileSync(path).equals(bytes)]).toEqual([words, true])
  rmSync(path + suffix)
  await using book = await open(path)
  expect(await book.records.get({ id: 'one' })).toMatchObject({ content: 'The harbour is closed' })
})

it('a book is not erased through a link, and works on', async () => {
  const { path, victim } = newPlace()
  await using book = await open(path)
  await book.perceptions.store({ id: 'one', content: 'The harbour is closed' })
  symlinkSync(victim, `${path}.erasing`)
  const error = await failure(book.erase({ confirm: 'b' }))
  expect(error.message).toContain(`${path}.erasing is a link and not a file of this book`)
  expect(existsSync(victim)).toBe(false)
  expect(await book.records.get({ id: 'one' })).toMatchObject({ content: 'The harbour is closed' })
})

it('a log that is a link is named', async () => {
  const { path, victim } = newPlace()
  await store(path)
  writeFileSync(victim, words)
  chmodSync(victim, 0o644)
  symlinkSync(victim, `${path}-wal`)
  const error = await failure(open(path))
  expect(error).toMatchObject({ code: 'storage-failed', retry: false, details: { path: `${path}-wal` } })
  expect(error.message).toContain(`${path}-wal is a link and not a file of this book`)
  expect([readFileSync(victim, 'utf8'), modeOf(victim)]).toEqual([words, '644'])
})

it('a key that is reached by a link is not narrowed there', async () => {
  const { path, victim } = newPlace()
  {
    await using book = await open(path)
    await book.perceptions.store({ id: 'shut', content: 'Takes insulin', sensitivity: 'sensitive' })
  }
  renameSync(`${path}.vault-key`, victim)
  symlinkSync(victim, `${path}.vault-key`)
  {
    await using book = await open(path)
    expect(await book.records.get({ id: 'shut' })).toMatchObject({ content: 'Takes insulin' })
  }
  chmodSync(victim, 0o644)
  await using book = await open(path)
  expect((await failure(book.records.get({ id: 'shut' }))).message).toMatch(/Others may read it \(mode 644\)/)
  expect(modeOf(victim)).toBe('644')
})
