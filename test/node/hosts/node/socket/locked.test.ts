// A shared book that is locked, or has another passphrase, when the next process becomes its owner.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { killAll, startProcess } from './process.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-locked-'))
const open: Daybook[] = []
afterEach(async () => {
  for (const book of open.splice(0)) await book.close()
  await killAll()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let serial = 0
const newPath = () => join(folder, `${++serial}`, 'shared.daybook')
const passphrase = 'violet otter'
const next = 'amber heron'

async function openHere(path: string, options: object = { passphrase }): Promise<Daybook> {
  const book = await openDaybook({ name: 'shared', path, ...options })
  open.push(book)
  return book
}

/** The owner of a book with a sealed record, and a process that has joined. */
async function openTwo(): Promise<{ path: string; owner: Daybook; second: Daybook }> {
  const path = newPath()
  const owner = await openHere(path)
  await owner.perceptions.store({ content: 'Takes insulin', sensitivity: 'sensitive' })
  return { path, owner, second: await openHere(path) }
}

const stateOf = async (book: Daybook) => (await book.seal.status()).state
const isOwner = async (book: Daybook) => (await book.status()).owner

it.each(['owner', 'second'] as const)(
  'stays locked for all when the owner ends after the %s locked it, until one unlocks it',
  async (locking) => {
    const { path, owner, second } = await openTwo()
    const third = await openHere(path)
    await { owner, second }[locking].seal.lock()
    await owner.close()
    // Each becomes the owner, or joins the new owner.
    expect([await stateOf(second), await stateOf(third)]).toEqual(['locked', 'locked'])
    expect((await third.perceptions.query()).records).toEqual([])
    await third.seal.unlock({ passphrase })
    expect([await stateOf(second), await stateOf(third)]).toEqual(['open', 'open'])
    const last = (await isOwner(second)) ? third : second
    await (last === third ? second : third).close()
    expect([await isOwner(last), await stateOf(last)]).toEqual([true, 'open'])
  },
)

it('stays locked when the owner is killed right after it locked the book', async () => {
  const path = newPath()
  const owner = await startProcess(path, { passphrase })
  await owner.run(`return book.perceptions.store({ content: 'Takes insulin', sensitivity: 'sensitive' })`)
  const second = await openHere(path)
  await owner.run('return book.seal.lock()')
  owner.kill()
  expect([await stateOf(second), await isOwner(second)]).toEqual(['locked', true])
})

it('is opened by the passphrase of a process that opens it afresh', async () => {
  const { path, owner, second } = await openTwo()
  await second.seal.lock()
  const third = await openHere(path)
  expect(await stateOf(second)).toBe('open')
  await second.seal.lock()
  for (const book of [owner, second, third]) await book.close()
  expect(await stateOf(await openHere(path))).toBe('open')
})

it('is open at the next owner, which joined with the old passphrase and then changed it', async () => {
  const { owner, second } = await openTwo()
  await second.seal.guard({ passphrase: next })
  await owner.close()
  expect([await isOwner(second), await stateOf(second)]).toEqual([true, 'open'])
})

it('is locked, and not lost, at a next owner with the old passphrase, and for one that joins it again', async () => {
  const { path, owner, second } = await openTwo()
  const third = await openHere(path)
  await owner.seal.guard({ passphrase: next })
  await owner.close()
  expect([await stateOf(second), await stateOf(third)]).toEqual(['locked', 'locked'])
  await second.seal.unlock({ passphrase: next })
  expect(await stateOf(third)).toBe('open')
})

it('is open at the next owner when the passphrase was removed', async () => {
  const path = newPath()
  const owner = await openHere(path, {})
  await owner.seal.guard({ passphrase })
  const [second, third] = [await openHere(path), await openHere(path)]
  await owner.seal.guard({})
  await owner.close()
  expect([await stateOf(second), await stateOf(third)]).toEqual(['open', 'open'])
})
