// The promises of a door, through the socket of the opener that holds the book: calls, cancelling, events, bad input, guests,
// talk, files, and the proposer who decides nothing.
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { openDaybook } from '../../../../../src/hosts/node/index.ts'
import { guestCases } from '../../../../contract/access/guest.ts'
import type { BookCase, BookOptions } from '../../../../contract/book-case.ts'
import { bundleCases } from '../../../../contract/bundle.ts'
import { proposerCases } from '../../../../contract/consent/proposer.ts'
import { badInputCases } from '../../../../contract/door/bad-input.ts'
import { doorCases } from '../../../../contract/door/door.ts'
import { liveCases } from '../../../../contract/door/live.ts'
import { liveGuestCases } from '../../../../contract/door/live-guest.ts'
import { roomCases } from '../../../../contract/room.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-joined-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const opened = new Map<Daybook, { readonly path: string; readonly holder: Daybook }>()
let serial = 0

async function openTwice(path: string, given: BookOptions = {}): Promise<Daybook> {
  // As in a page: words alone, unless a case names an embedder.
  const words = { timeZone: 'UTC', embedder: { provider: 'none' } } as const
  const options = { ...words, ...given, name: 'joined', agent: 'contract', path }
  const holder = await openDaybook(options)
  const book = await openDaybook(options)
  opened.set(book, { path, holder })
  return book
}

async function close(book: Daybook): Promise<string> {
  const { path = '', holder } = opened.get(book) ?? {}
  opened.delete(book)
  await book.close()
  await holder?.close()
  return path
}

afterEach(async () => {
  for (const book of Array.from(opened.keys())) await close(book)
})

const cases: BookCase = {
  book: (options) => openTwice(join(folder, `${++serial}.daybook`), options),
  reopen: async (book, options) => openTwice(await close(book), options),
  alter: () => Promise.reject(new Error('Nobody writes behind the back of two openers.')),
}

describe('through the socket of the holder', () => {
  doorCases(cases, { role: 'device' })
  badInputCases(cases)
  liveCases(cases)
  liveGuestCases(cases, true)
  guestCases(cases, { role: 'device' })
  proposerCases(cases)
  roomCases(cases)
  bundleCases(cases)
})
