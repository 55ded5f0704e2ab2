// The book of this page, from opening to closing. Views follow `book`; acts wait for `openedBook`.
import { tellError } from '../page/toast.ts'
import { batch, computed, signal } from '@preact/signals'
import { type BookEvents, type Daybook, DaybookError, openDaybook } from '../../src/index.ts'
import { asDaybookError } from '../wording/error-word.ts'
import { address, bookName } from './address.ts'
import { edgeUrl, poolChoice, syncChoice } from './setting.ts'
import { emptyAll, emptyHidden } from './held.ts'

export type Opening =
  | { readonly state: 'opening' }
  /** The reader chooses a book first. */
  | { readonly state: 'choosing' }
  | { readonly state: 'open'; readonly book: Daybook }
  | { readonly state: 'failed'; readonly error: DaybookError }
  | { readonly state: 'closed'; readonly reason: string }
  /** Its owner erased it, here or in another tab. */
  | { readonly state: 'erased' }

declare global {
  /** The open book, for the console. */
  var book: Daybook | undefined
}

export const opening = signal<Opening>({ state: 'opening' })
/** A new object when all views must read again; answers from the object before are dropped. */
export const book = computed(() => (opening.value.state === 'open' ? opening.value.book : undefined))

/** The book, once it is open. Rejects if it fails to open or is closed, and with `aborted` after an abort of `signal`. */
export async function openedBook(signal?: AbortSignal): Promise<Daybook> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const finish = () => resolve()
  const stop = opening.subscribe(({ state }) => state !== 'opening' && finish())
  signal?.addEventListener('abort', finish, { once: true })
  if (!signal?.aborted) await over
  stop()
  if (signal?.aborted) throw new DaybookError('aborted')
  const now = opening.peek()
  // The book is opening again: wait for it too.
  if (now.state === 'opening') return openedBook(signal)
  if (now.state === 'open') return now.book
  throw now.state === 'failed' ? now.error : new DaybookError('book-closed')
}

/** Runs an act on the book. On an error a notice shows it with the title `failed`. Answers true after success. */
export async function attempt(failed: string, act: (book: Daybook) => Promise<unknown>): Promise<boolean> {
  try {
    await act(await openedBook())
    return true
  } catch (error) {
    tellError(failed, error)
    return false
  }
}

type Listener<Name extends keyof BookEvents> = (detail: BookEvents[Name]) => void
const listeners: { readonly [Name in keyof BookEvents]: Set<Listener<Name>> } = {
  change: new Set(),
  progress: new Set(),
  task: new Set(),
  activity: new Set(),
  sync: new Set(),
  inbox: new Set(),
  proposal: new Set(),
  status: new Set(),
  room: new Set(),
  pool: new Set(),
  secret: new Set(),
  consent: new Set(),
  closed: new Set(),
}

/** Listens to the open book, also after it opens again. */
export function onBook<Name extends keyof BookEvents>(name: Name, listener: Listener<Name>): () => void {
  listeners[name].add(listener)
  return () => listeners[name].delete(listener)
}

let giveUp = new AbortController()

/** Opens the book and closes the one before. With `inMemory` it opens without durable storage too, and the page says so. */
export async function openBook({ inMemory = false } = {}): Promise<void> {
  giveUp.abort()
  const { signal } = (giveUp = new AbortController())
  await closeBook()
  if (signal.aborted) return
  opening.value = { state: 'opening' }
  const { enabled, key } = syncChoice.value
  try {
    const opened = await openDaybook({
      name: bookName,
      agent: 'inspector',
      signal,
      onUnavailable: inMemory ? 'memory' : 'reject',
      pool: poolChoice.value,
      ...(edgeUrl !== undefined && enabled ? { sync: { url: edgeUrl, key, background: { key } } } : {}),
    })
    listenTo(opened)
    globalThis.book = opened
    opening.value = { state: 'open', book: opened }
  } catch (error) {
    if (!signal.aborted) opening.value = { state: 'failed', error: asDaybookError(error) }
  }
}

async function closeBook(): Promise<void> {
  const current = book.peek()
  if (!current) return
  opening.value = { state: 'opening' }
  globalThis.book = undefined
  await current.close()
}

/** Empties this page and has every view read again, as when the book was locked. */
function readAgain(): void {
  const now = opening.peek()
  if (now.state !== 'open') return
  batch(() => {
    emptyAll()
    opening.value = { state: 'open', book: sameBook(now.book) }
  })
}

/** The same book as another object. */
const sameBook = (of: Daybook): Daybook =>
  new Proxy(of, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })

let listenedTo: Daybook | undefined

function listenTo(opened: Daybook): void {
  listenedTo = opened
  const readSeal = async () => (await opened.seal.status()).state
  let seal = readSeal().catch(() => undefined)
  // First remove text that must not be read any more, then read again.
  opened.on('change', ({ ids }) => {
    if (listenedTo !== opened) return
    if (ids.length > 0) return emptyHidden(address.peek().view)
    // Without ids: the book was locked or unlocked, or another tab owns it now, which changes nothing here.
    seal = seal.then(async (before) => {
      const state = await readSeal().catch(() => undefined)
      if (state !== before && listenedTo === opened) readAgain()
      return state
    })
  })
  const pass = <Name extends keyof BookEvents>(name: Name) =>
    opened.on(name, (detail) => {
      for (const listener of listeners[name]) listener(detail)
    })
  pass('change')
  pass('progress')
  pass('sync')
  pass('task')
  pass('activity')
  pass('secret')
  pass('room')
  pass('pool')
  opened.on('closed', ({ reason, code }) => {
    if (listenedTo === opened && book.peek()) {
      emptyAll()
      opening.value = code === 'book-erased' ? { state: 'erased' } : { state: 'closed', reason }
    }
  })
}
