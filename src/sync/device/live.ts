// The device's half of the line to the mirror: it opens the line when somebody looks, opens it again when it breaks, and hands
// on to the trigger what the mirror says.
// Invariant: at most one line at a time; losing it loses nothing, for what it says only makes the next sync come sooner.
import type { LiveState } from '../../core/capability/status.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Carrier, Line, LineHooks, Random, Scheduler } from '../../core/ports.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import { backoffMs } from './backoff.ts'
import {
  frameLimits,
  heartbeat,
  type LiveVersion,
  type Poke,
  type Purpose,
  readMirrorFrame,
  readPoke,
  type RelayedFrame,
  type TalkFrame,
} from '../wire/live-wire.ts'
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
  /** What the line is for; by default `sync`, for news of records. */
  readonly purposes?: readonly Purpose[]
  /** Somebody else has said this on a line for the same. Law: in the order in which the mirror relayed it, at most once. */
  readonly onTalk?: (frame: RelayedFrame) => void
  /** The mirror has said this of the meeting room. Law: as for `onTalk`. */
  readonly onRoom?: (data: object) => void
  /** A line is open, for these purposes. */
  readonly onOpen?: (version: LiveVersion, purposes: readonly Purpose[]) => void
  /** There is no line any more, or none came. */
  readonly onGone?: () => void
  /** Somebody needs the line although nobody looks. */
  readonly isNeeded?: () => boolean
}

export interface Live {
  /**
   * Says something to the others. False, and nothing was said, while no line of version 2 is open. What was said may be
   * lost with the line. Throws `too-large` for what no line takes.
   */
  say(frame: TalkFrame): boolean
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
  const { store, carrier, wanted, random, scheduler, purposes, onPoke, onState, onTalk } = options
  const { onRoom, onOpen, onGone, isNeeded = () => false } = options
  const listen = carrier?.listen?.bind(carrier)
  if (!listen || !wanted) return undefined
  let state: LiveState = 'connecting'
  let line: Line | undefined
  let version: LiveVersion = 1
  let attempts = 0
  let closed = false
  let cancelTimer: (() => void) | undefined
  let cancelRest: (() => void) | undefined

  const become = (next: LiveState) => {
    if (state === next || closed) return
    const wasOpen = state === 'open'
    state = next
    onState()
    if (next !== 'open' && (wasOpen || next !== 'connecting')) onGone?.()
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
    const comeFor = ({ seq }: Poke) => {
      const cursor = store.settings.getNumber('cursor')
      if (seq > cursor || (isFirst && seq < cursor)) onPoke()
      isFirst = false
    }
    const hooks: LineHooks = {
      opened(taken = 1, given = ['sync']) {
        if (!isCurrent()) return
        version = taken
        become('open')
        later(beatEveryMs, beat)
        onOpen?.(taken, given)
      },
      received(text) {
        if (!isCurrent()) return
        // Whatever it says, the mirror is there.
        attempts = 0
        later(beatEveryMs, beat)
        const frame = version === 1 ? readPoke(text) : readMirrorFrame(text)
        if (frame?.type === 'poke') comeFor(frame)
        else if (frame?.from) onTalk?.(frame)
        else if (frame) onRoom?.(frame.data)
      },
      ended(error) {
        if (!isCurrent()) return
        line = undefined
        cancelTimer?.()
        if (isFinal(error)) become('refused')
        else retry()
      },
    }
    const own: Line = listen(store.device, hooks, purposes)
    line = own
  }

  const rest = () => {
    if (isNeeded()) {
      cancelRest = scheduler.later(graceMs, rest)
      return
    }
    drop()
    become('resting')
  }

  // Not before the engine that listens is whole.
  later(0, connect)

  return {
    say(frame) {
      const text = JSON.stringify(frame)
      const bytes = utf8Length(text)
      if (bytes > frameLimits.bytes)
        throw new DaybookError('too-large', `A frame has at most ${frameLimits.bytes} bytes.`, {
          details: { path: 'data', limitBytes: frameLimits.bytes, bytes },
        })
      if (!line || state !== 'open' || version === 1) return false
      line.send(text)
      return true
    },
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
