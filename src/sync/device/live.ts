// The device's side of the live connection: opens it while the page is visible, reconnects, and forwards pokes.
// Invariant: at most one connection is open. Losing it loses no record: a poke only makes the next sync start sooner.
import type { LiveState } from '../../core/capability/status.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Carrier, MirrorLine, LineHooks, Random, Scheduler } from '../../core/ports.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import { backoffMs, chance } from './sync-trigger.ts'
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

export interface LiveOptions {
  readonly store: Pick<BookStore, 'device' | 'settings'>
  readonly carrier: Carrier | undefined
  readonly wanted: boolean
  readonly random: Random
  readonly scheduler: Scheduler
  /** Called when the mirror has changes that this device lacks. */
  readonly onPoke: () => void
  readonly onState: () => void
  /** Default: `sync`, for pokes. */
  readonly purposes?: readonly Purpose[]
  /** Called for a message of another connection. Law: in the order of the mirror, at most once. */
  readonly onTalk?: (frame: RelayedFrame) => void
  /** Called for a message of the mirror about the meeting room. Law: as for `onTalk`. */
  readonly onRoom?: (data: object) => void
  /** Called when a connection opened, with its purposes. */
  readonly onOpen?: (version: LiveVersion, purposes: readonly Purpose[]) => void
  /** Called when the connection closed or could not be opened. */
  readonly onGone?: () => void
  /** True if the connection is needed while the page is hidden. */
  readonly isNeeded?: () => boolean
}

/** Interval of heartbeats. The mirror's host answers them without waking the mirror. */
export const beatEveryMs = 30_000
const answerWithinMs = 10_000
/** A hidden page closes its connection after this time. */
export const graceMs = 30_000

type Listen = NonNullable<Carrier['listen']>

/** Creates the live connection of this book; undefined if the carrier has none or the options exclude it. */
export function createLiveLine(options: LiveOptions): LiveLine | undefined {
  const listen = options.carrier?.listen?.bind(options.carrier)
  return listen && options.wanted ? new LiveLine(options, listen) : undefined
}

export class LiveLine {
  readonly #options: LiveOptions
  readonly #listen: Listen
  #state: LiveState = 'connecting'
  #line: MirrorLine | undefined
  #version: LiveVersion = 1
  #attempts = 0
  #closed = false
  #cancelTimer: (() => void) | undefined
  #cancelRest: (() => void) | undefined

  constructor(options: LiveOptions, listen: Listen) {
    this.#options = options
    this.#listen = listen
    // Connect later: the engine is not complete yet.
    this.#later(0, () => this.#connect())
  }

  /**
   * Sends a message to the other connections. False: no connection of version 2 is open, and nothing was sent. A
   * message may be lost with the connection. Throws `too-large` for a frame above the size limit.
   */
  say(frame: TalkFrame): boolean {
    const text = JSON.stringify(frame)
    const bytes = utf8Length(text)
    if (bytes > frameLimits.bytes)
      throw new DaybookError('too-large', `A frame has at most ${frameLimits.bytes} bytes.`, {
        details: { path: 'data', limitBytes: frameLimits.bytes, bytes },
      })
    if (!this.#line || this.#state !== 'open' || this.#version === 1) return false
    this.#line.send(text)
    return true
  }

  state(): LiveState {
    return this.#state
  }

  /** Connects now in place of waiting. Call it when the network is back. */
  wake(): void {
    if (this.#state === 'waiting') this.#renew()
  }

  /** Closes the connection, and opens none before `resume`. Call it after a final refusal. */
  refuse(): void {
    this.#drop()
    this.#become('refused')
  }

  /** Connects again after a refusal. Call it after a caller's sync. */
  resume(): void {
    if (this.#state === 'refused') this.#renew()
  }

  /** Sets whether the page is visible and online. */
  attend(seen: boolean): void {
    this.#cancelRest?.()
    this.#cancelRest = undefined
    if (this.#closed) return
    if (!seen) this.#cancelRest = this.#options.scheduler.later(graceMs, () => this.#rest())
    else if (this.#state === 'resting') this.#renew()
  }

  close(): void {
    this.#closed = true
    this.#cancelRest?.()
    this.#drop()
  }

  #become(next: LiveState): void {
    const { onState, onGone } = this.#options
    if (this.#state === next || this.#closed) return
    const wasOpen = this.#state === 'open'
    this.#state = next
    onState()
    if (next !== 'open' && (wasOpen || next !== 'connecting')) onGone?.()
  }

  #later(delayMs: number, task: () => void): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#options.scheduler.later(delayMs, task)
  }

  #renew(): void {
    if (this.#closed) return
    this.#attempts = 0
    this.#connect()
  }

  #connect(): void {
    this.#drop()
    this.#become('connecting')
    const hooks = this.#hooks(() => !this.#closed && this.#line === own)
    const own: MirrorLine = this.#listen(this.#options.store.device, hooks, this.#options.purposes)
    this.#line = own
  }

  #hooks(isCurrent: () => boolean): LineHooks {
    const { store, onPoke, onTalk, onRoom, onOpen } = this.#options
    /** The first poke is the mirror's head. A head behind this device's cursor means that the mirror was set back. */
    let isFirst = true
    const poked = ({ seq }: Poke) => {
      const cursor = store.settings.getNumber('cursor')
      if (seq > cursor || (isFirst && seq < cursor)) onPoke()
      isFirst = false
    }
    return {
      opened: (version = 1, purposes = ['sync']) => {
        if (!isCurrent()) return
        this.#version = version
        this.#become('open')
        this.#beatLater()
        onOpen?.(version, purposes)
      },
      received: (text) => {
        if (!isCurrent()) return
        // Any frame proves that the mirror is reachable.
        this.#attempts = 0
        this.#beatLater()
        const frame = this.#version === 1 ? readPoke(text) : readMirrorFrame(text)
        if (frame?.type === 'poke') poked(frame)
        else if (frame?.from) onTalk?.(frame)
        else if (frame) onRoom?.(frame.data)
      },
      ended: (error) => {
        if (!isCurrent()) return
        this.#line = undefined
        this.#cancelTimer?.()
        if (isFinal(error)) this.#become('refused')
        else this.#retry()
      },
    }
  }

  #drop(): void {
    this.#cancelTimer?.()
    const line = this.#line
    this.#line = undefined
    line?.close()
  }

  #retry(): void {
    this.#attempts += 1
    this.#become('waiting')
    this.#later(backoffMs(this.#attempts, chance(this.#options.random)), () => this.#connect())
  }

  #beatLater(): void {
    this.#later(beatEveryMs, () => this.#beat())
  }

  #beat(): void {
    this.#later(answerWithinMs, () => {
      this.#drop()
      this.#retry()
    })
    this.#line?.send(heartbeat.ask)
  }

  #rest(): void {
    const { isNeeded, scheduler } = this.#options
    if (this.#state === 'refused') return
    if (isNeeded?.()) {
      this.#cancelRest = scheduler.later(graceMs, () => this.#rest())
      return
    }
    this.#drop()
    this.#become('resting')
  }
}

/** True if a retry can't help: no permission, or a mirror without live connections. */
function isFinal({ code, retry }: DaybookError): boolean {
  return !retry && code !== 'offline'
}
