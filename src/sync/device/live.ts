// The device's half of the line to the mirror: it opens the line when somebody looks, opens it again when it breaks, and hands
// on to the trigger what the mirror says.
// Invariant: at most one line at a time; losing it loses nothing, for what it says only makes the next sync come sooner.
import type { LiveState } from '../../core/capability/status.ts'
import type { DaybookError } from '../../core/errors.ts'
import type { Carrier, Line, Random, Scheduler } from '../../core/ports.ts'
import type { BookStore } from '../../store/book-store.ts'
import { backoffMs } from './backoff.ts'
import { heartbeat, readPoke } from '../wire/live-wire.ts'
import { chance } from './sync-trigger.ts'

export interface LiveOptions {
  readonly store: Pick<BookStore, 'device' | 'settings'>
  readonly carrier: Carrier | undefined
  readonly wanted: boolean
  readonly random: Random
  readonly scheduler: Scheduler
  /** The mirror has something that this device has not read. */
  readonly onPoke: () => void
  readonly onState: () => void
}

export interface Live {
  state(): LiveState
  /** The network is there again: a line that waits is opened at once. */
  wake(): void
  /** Whether anybody looks, and there is a network. */
  attend(seen: boolean): void
  close(): void
}

/** The mirror answers a heartbeat without waking; three of them without an answer would be a minute and a half. */
export const beatEveryMs = 30_000
const answerWithinMs = 10_000
/** A page that is hidden for a moment keeps its line. */
export const graceMs = 30_000

/** A line for this book, where the carrier has one and somebody wants it. */
export function createBookLive(options: LiveOptions): Live | undefined {
  const { store, carrier, wanted, random, scheduler, onPoke, onState } = options
  const listen = carrier?.listen?.bind(carrier)
  if (!listen || !wanted) return undefined
  let state: LiveState = 'connecting'
  let line: Line | undefined
  let attempts = 0
  let closed = false
  let cancelTimer: (() => void) | undefined
  let cancelRest: (() => void) | undefined

  const become = (next: LiveState) => {
    if (state === next || closed) return
    state = next
    onState()
  }
  const later = (delayMs: number, task: () => void) => {
    cancelTimer?.()
    cancelTimer = scheduler.later(delayMs, task)
  }
  const drop = () => {
    cancelTimer?.()
    const gone = line
    line = undefined
    gone?.close()
  }
  const retry = () => {
    attempts += 1
    become('waiting')
    later(backoffMs(attempts, chance(random)), connect)
  }
  const beat = () => {
    later(answerWithinMs, () => {
      drop()
      retry()
    })
    line?.send(heartbeat.ask)
  }

  const connect = () => {
    drop()
    become('connecting')
    /** The mirror says first where it stood when the line was opened: behind this device only if it was set back. */
    let isFirst = true
    const isCurrent = () => !closed && line === own
    const own: Line = listen(store.device, {
      opened() {
        if (!isCurrent()) return
        become('open')
        later(beatEveryMs, beat)
      },
      received(text) {
        if (!isCurrent()) return
        // Whatever it says, the mirror is there.
        attempts = 0
        later(beatEveryMs, beat)
        const poke = readPoke(text)
        if (!poke) return
        const cursor = store.settings.getNumber('cursor')
        if (poke.seq > cursor || (isFirst && poke.seq < cursor)) onPoke()
        isFirst = false
      },
      ended(error) {
        if (!isCurrent()) return
        line = undefined
        cancelTimer?.()
        if (isFinal(error)) become('refused')
        else retry()
      },
    })
    line = own
  }

  const rest = () => {
    drop()
    become('resting')
  }

  // Not before the engine that listens is whole.
  later(0, connect)

  return {
    state: () => state,
    wake() {
      if (closed || state === 'resting' || state === 'open' || state === 'connecting') return
      attempts = 0
      connect()
    },
    attend(seen) {
      cancelRest?.()
      cancelRest = undefined
      if (closed) return
      if (!seen) cancelRest = scheduler.later(graceMs, rest)
      else if (state === 'resting') {
        attempts = 0
        connect()
      }
    },
    close() {
      closed = true
      cancelRest?.()
      drop()
    },
  }
}

/** What trying again can't help: no right to it, or a mirror that has no lines. */
function isFinal({ code, retry }: DaybookError): boolean {
  return !retry && code !== 'offline'
}
