// The meeting room of a shared book when a process closes its book: it leaves at once, the owner too.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, it } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { killAll, startProcess } from './process.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-room-end-'))
const open: Daybook[] = []
afterEach(async () => {
  for (const book of open.splice(0)) await book.close()
  await killAll()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let serial = 0
const newPath = () => join(folder, `${++serial}`, 'shared.daybook')

async function openHere(path: string, agent: string): Promise<Daybook> {
  const book = await openDaybook({ name: 'shared', path, agent })
  open.push(book)
  return book
}

const present = async (book: Daybook) => (await book.room.whoIsHere()).participants.map(({ id }) => id)

it('an owner that closes leaves the room at once, and its messages stay for the others', async () => {
  const path = newPath()
  const owner = await startProcess(path, { agent: 'first' })
  const second = await openHere(path, 'second')
  const third = await openHere(path, 'third')
  await second.room.join()
  await owner.run(`await book.room.say({ text: 'See you' })`)
  const left: unknown[] = []
  third.on('room', (event) => event.type === 'left' && left.push(event.id))
  expect((await present(third)).toSorted()).toEqual(['first', 'second'])
  await owner.run('await book.close()')
  for (const book of [second, third]) expect(await present(book)).toEqual(['second'])
  expect(left).toEqual(['first'])
  expect((await second.room.hearAll({})).messages.map(({ text }) => text)).toEqual(['See you'])
})

it('an owner that closes as the only participant leaves an empty room', async () => {
  const path = newPath()
  const owner = await startProcess(path, { agent: 'first' })
  const second = await openHere(path, 'second')
  await owner.run(`await book.room.say({ text: 'Nobody' })`)
  expect(await present(second)).toEqual(['first'])
  await owner.run('await book.close()')
  expect(await present(second)).toEqual([])
  expect((await second.room.status()).latest).toBe(0)
})

it('a process leaves the room when it closes its book, but an agent stays that another process has', async () => {
  const path = newPath()
  const owner = await startProcess(path, { agent: 'same' })
  const second = await openHere(path, 'same')
  const third = await openHere(path, 'third')
  await owner.run('await book.room.join()')
  for (const book of [second, third]) await book.room.join()
  await third.close()
  await expect.poll(() => present(second)).toEqual(['same'])
  await owner.run('await book.close()')
  expect(await present(second)).toEqual(['same'])
})
