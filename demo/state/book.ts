// The book of this page, from opening to its end. What is shown follows `book`; what is asked for waits for `openedBook`.
import { batch, computed, signal } from '@preact/signals'
import { type BookEvents, type Daybook, DaybookError, openDaybook } from '../../src/index.ts'
import { asDaybookError } from '../wording/error-word.ts'
import { address, bookName } from './address.ts'
import { edgeUrl, syncChoice } from './edge.ts'
import { emptyAll, emptyHidden } from './held.ts'
import { poolChoice } from './pool-way.ts'

export type Opening =
  | { readonly state: 'opening' }
  /** Which one is not known yet. */
  | { readonly state: 'choosing' }
  | { readonly state: 'open'; readonly book: Daybook }
  | { readonly state: 'failed'; readonly error: DaybookError }
  | { readonly state: 'closed'; readonly reason: string }

declare global {
  /** The open book, for the console. */
  var book: Daybook | undefined
}

export const opening = signal<Opening>({ state: 'opening' })
/** Another object whenever all of it is to be read again: what was asked of the one before is let go of. */
export const book = computed(() => (opening.value.state === 'open' ? opening.value.book : undefined))

/** The book, as soon as it is open. Rejects when it could not be opened or is closed, and with `aborted` when `signal` is. */
export async function openedBook(signal?: AbortSignal): Promise<Daybook> {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  const tellOver = () => resolve()
  const stop = opening.subscribe(({ state }) => state !== 'opening' && tellOver())
  signal?.addEventListener('abort', tellOver, { once: true })
  if (!signal?.aborted) await over
  stop()
  if (signal?.aborted) throw new DaybookError('aborted')
  const now = opening.peek()
  // Being opened again by now: that is waited for as well.
  if (now.state === 'opening') return openedBook(signal)
  if (now.state === 'open') return now.book
  throw now.state === 'failed' ? now.error : new DaybookError('book-closed')
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

/** Listens to whichever book is open; survives its being opened again. */
export function onBook<Name extends keyof BookEvents>(name: Name, listener: Listener<Name>): () => void {
  listeners[name].add(listener)
  return () => listeners[name].delete(listener)
}

let giveUp = new AbortController()

/** Opens the book, in place of what is open or being opened; with `inMemory`, also where nothing durable can be had, which the page then keeps saying. */
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
  // First of all: what may not be read any more is gone before anything is read again.
  opened.on('change', ({ ids }) => {
    if (listenedTo !== opened) return
    if (ids.length > 0) return emptyHidden(address.peek().view)
    // Without ids: the book was locked or unlocked, or another tab has it now, which changes nothing here.
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
  opened.on('closed', ({ reason }) => {
    if (listenedTo === opened && book.peek()) {
      emptyAll()
      opening.value = { state: 'closed', reason }
    }
  })
}
