// Two processes with one book: the one that holds it is a real process, which is killed in the middle.
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { defined } from '../../../../../src/core/defined.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { failure } from '../../../../contract/book-case.ts'
import { Followers } from '../../../../../src/book/share/followers.ts'
import { processVersion } from '../../../../../src/hosts/node/socket/process-wire.ts'
import { fileIdOf } from '../../../../../src/hosts/node/socket/socket-place.ts'
import { killAll, startProcess } from './process.ts'
import { frameOf, openRaw, socketOf } from './raw-socket.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-share-'))
const open: Daybook[] = []
afterEach(async () => {
  for (const book of open.splice(0)) await book.close()
  await killAll()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let serial = 0
const newPath = () => join(folder, `${++serial}`, 'shared.daybook')
const note = (text: string) => ({ schema: 'note', data: { text } })
const texts = async (book: Daybook) =>
  (await book.facts.query({ limit: 1000 })).records.map(({ data }) => data['text'])

async function openHere(path: string, options: object = {}): Promise<Daybook> {
  const book = await openDaybook({ name: 'shared', path, ...options })
  open.push(book)
  return book
}

it('two processes share a book, and when its holder is killed in the middle of calls the other goes on: each write is done once', async () => {
  const path = newPath()
  const other = await startProcess(path, { agent: 'holder' })
  const book = await openHere(path, { agent: 'guest' })
  expect((await book.status()).owner).toBe(false)
  // What one stores the other hears of and reads, in its own name.
  const heard = new Promise<readonly string[]>((resolve) => book.on('change', ({ kinds }) => resolve(kinds)))
  await other.run(`return book.facts.store(${JSON.stringify(note('of the holder'))})`)
  expect(await heard).toEqual(['fact'])
  await book.facts.store(note('of the guest'))
  const found = (await other.run('return book.facts.query({})')) as {
    records: { data: object; scope: object }[]
  }
  expect(found.records.map(({ data }) => data)).toEqual([{ text: 'of the guest' }, { text: 'of the holder' }])
  expect((await book.facts.query({})).records).toEqual(found.records)
  const before = await texts(book)
  const turns: boolean[] = []
  book.on('status', ({ owner }) => turns.push(owner))
  // The holder ends with some of these done, some begun, some not come.
  const calls = Array.from({ length: 300 }, (_, i) => book.facts.store(note(`n${i}`)))
  await calls[0]
  await other.kill()
  const receipts = await Promise.all(calls)
  expect(new Set(receipts.map(({ id }) => id)).size).toBe(300)
  expect((await book.status()).owner).toBe(true)
  expect(turns).toEqual([true])
  const all = await texts(book)
  expect(all.toSorted()).toEqual([...before, ...calls.map((_, i) => `n${i}`)].toSorted())
})

it('of several that follow one holds the book next, and the others follow it', async () => {
  const path = newPath()
  const holder = await startProcess(path)
  const others = [await openHere(path), await openHere(path), await openHere(path)]
  await Promise.all(others.map((book, i) => book.facts.store(note(`${i}`))))
  await holder.kill()
  await Promise.all(others.map((book, i) => book.facts.store(note(`after ${i}`))))
  const states = await Promise.all(others.map(async (book) => (await book.status()).owner))
  expect(states.toSorted()).toEqual([false, false, true])
  for (const book of others) expect(await texts(book)).toHaveLength(6)
  // The holder closes, as often as there is one.
  for (const [i, book] of others.entries()) {
    await book.close()
    for (const left of others.slice(i + 1)) expect(await texts(left)).toHaveLength(6)
  }
  expect(existsSync(`${path}.socket`)).toBe(false)
})

it('the socket and the note that leads to it are for their owner alone, and go with the holder', async () => {
  const path = newPath()
  const book = await openHere(path)
  const socket = readFileSync(`${path}.socket`, 'utf8').trim()
  const mode = (file: string) => (lstatSync(file).mode & 0o777).toString(8)
  expect([mode(socket), mode(dirname(socket)), mode(`${path}.socket`)]).toEqual(['600', '700', '600'])
  expect(lstatSync(socket).isSocket()).toBe(true)
  await book.close()
  expect([existsSync(socket), existsSync(`${path}.socket`)]).toEqual([false, false])
})

it('the socket and the note of a killed holder are in nobody’s way', async () => {
  const path = newPath()
  const other = await startProcess(path)
  await other.kill()
  expect(existsSync(`${path}.socket`)).toBe(true)
  const book = await openHere(path)
  const second = await openHere(path)
  await second.facts.store(note('x'))
  expect(await texts(book)).toEqual(['x'])
})

it('a copy of a book does not lead to the book that it was copied from', async () => {
  const path = newPath()
  const other = await startProcess(path)
  const copy = newPath()
  cpSync(dirname(path), dirname(copy), { recursive: true })
  const held = await openHere(copy, { share: { join: false } })
  cpSync(`${path}.socket`, `${copy}.socket`)
  expect((await failure(openDaybook({ name: 'shared', path: copy }))).code).toBe('open-elsewhere')
  await held.facts.store(note('of the copy'))
  expect(await other.run('return (await book.facts.query({})).records.length')).toBe(0)
})

it('who may only hold the book, or does not share it, is told that another process has it', async () => {
  const path = newPath()
  await openHere(path)
  for (const share of [false, { join: false }])
    expect((await failure(openDaybook({ name: 'shared', path, share }))).code).toBe('open-elsewhere')
  const alone = newPath()
  await openHere(alone, { share: false })
  expect((await failure(openDaybook({ name: 'shared', path: alone }))).code).toBe('open-elsewhere')
})

it('keys that a passphrase has opened are for those who give it', async () => {
  const path = newPath()
  const book = await openHere(path, { passphrase: 'violet otter' })
  await book.facts.store({ ...note('secret'), sensitivity: 'sensitive' })
  const opening = (passphrase?: string) =>
    failure(openDaybook({ name: 'shared', path, ...defined({ passphrase }) }))
  expect((await opening()).code).toBe('locked')
  expect((await opening('violet utter')).code).toBe('wrong-passphrase')
  const second = await openHere(path, { passphrase: 'violet otter' })
  expect(await texts(second)).toEqual(['secret'])
  // And it opens them itself when it is its turn.
  await book.close()
  expect(await texts(second)).toEqual(['secret'])
})

it('keys that a process unlocks are open for those that have joined, and locked again for all', async () => {
  const path = newPath()
  const passphrase = 'violet otter'
  const maker = await openHere(path, { passphrase })
  await maker.facts.store({ ...note('secret'), sensitivity: 'sensitive' })
  await maker.close()
  await openHere(path)
  const joined = await openHere(path)
  expect(await texts(joined)).toEqual([])
  await (await openHere(path, { passphrase })).close()
  expect(await texts(joined)).toEqual(['secret'])
  expect((await failure(openDaybook({ name: 'shared', path }))).code).toBe('locked')
  await joined.seal.lock()
  expect(await texts(joined)).toEqual([])
  expect(await texts(await openHere(path))).toEqual([])
})

it('a call is cancelled at the holder, and an error comes back with all its fields', async () => {
  const path = newPath()
  const other = await startProcess(path)
  const book = await openHere(path)
  const error = await failure(book.facts.store({ schema: 'note' } as never))
  const same = (await other.run(`return book.facts.store({ schema: 'note' })`)) as { error: object }
  expect(JSON.parse(JSON.stringify(error))).toEqual(same.error)
  const cancelling = new AbortController()
  const call = book.facts.store(note('x'), { signal: cancelling.signal })
  cancelling.abort()
  const { code, details } = await failure(call)
  expect([code, details['mayHaveBegun']]).toEqual(['aborted', true])
  // The caller repeats it: it is stored once, if the holder has stored it or not.
  const { id } = await book.facts.store(note('x'), { requestId: String(details['requestId']) })
  expect((await book.status()).records).toMatchObject({ fact: 1 })
  expect(await book.records.get({ id })).toMatchObject({ id })
  // A cancelled read has changed nothing.
  const read = failure(book.call('daybook:status', {}, { signal: AbortSignal.timeout(0) }))
  expect((await Promise.race([read, { details: {} }])).details).toEqual({})
  expect((await failure(book.call('daybook:status', {}, { deadlineMs: 0 }))).code).toBe('deadline-exceeded')
})

it('a book that one process erases is gone for all of them, and nothing is left', async () => {
  const path = newPath()
  const other = await startProcess(path)
  const book = await openHere(path)
  const third = await openHere(path)
  await book.facts.store(note('x'))
  const closed = new Promise((resolve) => third.on('closed', resolve))
  expect(await book.erase({ confirm: 'shared' })).toMatchObject({ erased: true })
  expect(await closed).toMatchObject({ code: 'book-erased' })
  expect((await failure(third.stats())).code).toBe('book-erased')
  await other.kill()
  expect((await failure(third.stats())).code).toBe('book-erased')
  expect(existsSync(path)).toBe(false)
})

it('gives the meeting room the size of the option `room`, in every process and after the owner ends', async () => {
  const path = newPath()
  const room = { slots: 8, slotBytes: 256, participants: 2 }
  const size = { slots: 8, messageBytes: 256 }
  const other = await startProcess(path, { agent: 'first', room })
  const book = await openHere(path, { agent: 'second', room })
  await other.run(`return book.room.join()`)
  for (let i = 1; i <= 9; i += 1) await book.room.say({ text: `m${i}` })
  expect(await book.room.status()).toMatchObject({ ...size, participants: 2, oldest: 2, latest: 9 })
  expect((await failure(book.room.join({ as: 'third' }))).code).toBe('room-full')
  expect((await failure(book.room.say({ text: 'x'.repeat(300) }))).code).toBe('too-large')
  await other.kill()
  expect(await book.room.status()).toMatchObject({ ...size, oldest: 2, latest: 9 })
  expect((await book.status()).degraded.join()).not.toContain('room')
})

it.each(['closed', 'erased'])('a book that was %s leaves the note of the next owner alone', async (end) => {
  const path = newPath()
  const first = await openHere(path)
  await (end === 'closed' ? first.close() : first.erase({ confirm: 'shared' }))
  const next = await openHere(path)
  await next.facts.store(note('of the next'))
  await first.close()
  expect(readdirSync(dirname(path))).toContain('shared.daybook.socket')
  expect(await texts(await openHere(path))).toEqual(['of the next'])
})

it('an erasure that is refused before it begins leaves the book shared', async () => {
  const path = newPath()
  const book = await openHere(path)
  await book.facts.store(note('still here'))
  mkdirSync(`${path}.erasing`)
  expect((await failure(book.erase({ confirm: 'shared' }))).code).toBe('storage-failed')
  expect(await texts(await openHere(path))).toEqual(['still here'])
  expect((await failure(book.erase({ confirm: 'shared' }))).code).toBe('storage-failed')
})

it('a process that ends while its passphrase is checked is not served for ever', async () => {
  const path = newPath()
  const passphrase = 'correct horse battery'
  const book = await openHere(path, { passphrase })
  await book.facts.store({ ...note('sealed'), sensitivity: 'sensitive' })
  const { add } = Followers.prototype
  const all: Followers[] = []
  Followers.prototype.add = function (...parts) {
    all.push(this)
    return add.apply(this, parts)
  }
  try {
    const joining = {
      type: 'join',
      version: [...processVersion],
      file: fileIdOf(path),
      scope: { agent: 'x' },
      strict: false,
      passphrase,
    }
    for (let i = 0; i < 3; i++) {
      const raw = await openRaw(socketOf(path))
      raw.socket.write(frameOf({ ...joining, process: `${String(i).repeat(32)}.0` }))
      await new Promise((resolve) => setTimeout(resolve, 20))
      raw.socket.destroy()
    }
    // The passphrases are checked one after the other, so those of the dead processes were checked before.
    const last = await openRaw(socketOf(path))
    expect(await last.ask({ ...joining, process: `${'f'.repeat(32)}.0` })).toMatchObject({ type: 'welcome' })
    expect(all[0]?.size).toBe(1)
    last.socket.destroy()
    await expect.poll(() => all[0]?.size).toBe(0)
  } finally {
    Followers.prototype.add = add
  }
})
