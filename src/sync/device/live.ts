// The device's side of the live connection (a line): opens it while the page is visible, reconnects, and forwards pokes.
// Invariant: at most one connection is open. Losing it loses no record: a poke only makes the next sync start sooner.
import type { LiveState } from '../../core/capability/status.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Carrier, MirrorLine, LineHooks, Random, Scheduler } from '../../core/ports.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import type { BookStore } from '../../store/book-store.ts'
import { backoffMs, randomFraction } from './sync-trigger.ts'
import {
  frameLimits,
  heartbeat,
  type LiveVersion,
  type Poke,
  type Purpose,
  parseMirrorFrame,
  parsePoke,
  type RelayedFrame,
  type RelayFrame,
} from '../wire/live-wire.ts'

export interface LiveOptions {
  readonly store: Pick<BookStore, 'device' | 'settings'>
  readonly carrier: Carrier | undefined
  /** False: the options exclude a live connection. */
  readonly isEnabled: boolean
  readonly random: Random
  readonly scheduler: Scheduler
  /** Called when the mirror has changes that this device lacks. */
  readonly onPoke: () => void
  readonly onState: () => void
  /** Default: `sync`, for pokes. */
  readonly purposes?: readonly Purpose[]
  /** Called for a message of another connection. Law: in the order of the mirror, at most once. */
  readonly onRelayedFrame?: (frame: RelayedFrame) => void
  /** Called for a message of the mirror about the meeting room. Law: as for `onRelayedFrame`. */
  readonly onRoomNotice?: (data: object) => void
  /** Called when a connection opened, with its purposes. */
  readonly onOpen?: (version: LiveVersion, purposes: readonly Purpose[]) => void
  /** Called when the connection closed or could not be opened. */
  readonly onClosed?: () => void
  /** True if the connection is needed while the page is hidden. */
  readonly isNeededWhileHidden?: () => boolean
}

/** Interval of heartbeats. The mirror's host answers them without waking the mirror. */
export const heartbeatIntervalMs = 30_000
const heartbeatTimeoutMs = 10_000
/** A hidden page closes its connection after this time. */
export const hiddenGraceMs = 30_000

type OpenLine = NonNullable<Carrier['listen']>

/** Creates the live connection of this book; undefined if the carrier has none or the options exclude it. */
export function createLiveLine(options: LiveOptions): LiveLine | undefined {
  const listen = options.carrier?.listen?.bind(options.carrier)
  return listen && options.isEnabled ? new LiveLine(options, listen) : undefined
}

export class LiveLine {
  readonly #options: LiveOptions
  readonly #openLine: OpenLine
  #state: LiveState = 'connecting'
  #line: MirrorLine | undefined
  #version: LiveVersion = 1
  /** Failures in a row. */
  #attempts = 0
  #isClosed = false
  #cancelTimer: (() => void) | undefined
  #cancelHiddenTimer: (() => void) | undefined

  constructor(options: LiveOptions, listen: OpenLine) {
    this.#options = options
    this.#openLine = listen
    // Connect later: the engine is not complete yet.
    this.#setTimer(0, () => this.#connect())
  }

  /**
   * Sends a message to the other connections. False: no connection of version 2 is open, and nothing was sent. A
   * message may be lost with the connection. Throws `too-large` for a frame above the size limit.
   */
  send(frame: RelayFrame): boolean {
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
    this.#closeLine()
    this.#setState('refused')
  }

  /** Connects again after a refusal. Call it after a caller's sync. */
  resume(): void {
    if (this.#state === 'refused') this.#renew()
  }

  /** Sets whether the page is visible and online. */
  setVisible(isVisible: boolean): void {
    this.#cancelHiddenTimer?.()
    this.#cancelHiddenTimer = undefined
    if (this.#isClosed) return
    if (!isVisible)
      this.#cancelHiddenTimer = this.#options.scheduler.later(hiddenGraceMs, () => this.#closeWhileHidden())
    else if (this.#state === 'resting') this.#renew()
  }

  close(): void {
    this.#isClosed = true
    this.#cancelHiddenTimer?.()
    this.#closeLine()
  }

  #setState(next: LiveState): void {
    const { onState, onClosed } = this.#options
    if (this.#state === next || this.#isClosed) return
    const wasOpen = this.#state === 'open'
    this.#state = next
    onState()
    if (next !== 'open' && (wasOpen || next !== 'connecting')) onClosed?.()
  }

  #setTimer(delayMs: number, task: () => void): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#options.scheduler.later(delayMs, task)
  }

  #renew(): void {
    if (this.#isClosed) return
    this.#attempts = 0
    this.#connect()
  }

  #connect(): void {
    this.#closeLine()
    this.#setState('connecting')
    const { device } = this.#options.store
    const hooks = this.#hooks(device, () => !this.#isClosed && this.#line === line)
    const line: MirrorLine = this.#openLine(device, hooks, this.#options.purposes)
    this.#line = line
  }

  #hooks(device: string, isCurrent: () => boolean): LineHooks {
    const { store, onPoke, onRelayedFrame, onRoomNotice, onOpen } = this.#options
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
        this.#setState('open')
        this.#scheduleHeartbeat()
        onOpen?.(version, purposes)
      },
      received: (text) => {
        if (!isCurrent()) return
        // The mirror pokes a line again only after its device has read, so the line needs the device's new name.
        if (device !== store.device) return this.#renew()
        // Any frame proves that the mirror is reachable.
        this.#attempts = 0
        this.#scheduleHeartbeat()
        const frame = this.#version === 1 ? parsePoke(text) : parseMirrorFrame(text)
        // `from`: the device that sent it; absent in a message of the mirror itself.
        if (frame?.type === 'poke') poked(frame)
        else if (frame?.from) onRelayedFrame?.(frame)
        else if (frame) onRoomNotice?.(frame.data)
      },
      ended: (error) => {
        if (!isCurrent()) return
        this.#line = undefined
        this.#cancelTimer?.()
        if (isFinal(error)) this.#setState('refused')
        else this.#retry()
      },
    }
  }

  #closeLine(): void {
    this.#cancelTimer?.()
    const line = this.#line
    this.#line = undefined
    line?.close()
  }

  #retry(): void {
    this.#attempts += 1
    this.#setState('waiting')
    this.#setTimer(backoffMs(this.#attempts, randomFraction(this.#options.random)), () => this.#connect())
  }

  #scheduleHeartbeat(): void {
    this.#setTimer(heartbeatIntervalMs, () => this.#sendHeartbeat())
  }

  #sendHeartbeat(): void {
    this.#setTimer(heartbeatTimeoutMs, () => {
      this.#closeLine()
      this.#retry()
    })
    this.#line?.send(heartbeat.ask)
  }

  #closeWhileHidden(): void {
    const { isNeededWhileHidden, scheduler } = this.#options
    if (this.#state === 'refused') return
    if (isNeededWhileHidden?.()) {
      this.#cancelHiddenTimer = scheduler.later(hiddenGraceMs, () => this.#closeWhileHidden())
      return
    }
    this.#closeLine()
    this.#setState('resting')
  }
}

/** True if a retry can't help: no permission, or a mirror without live connections. */
function isFinal({ code, retry }: DaybookError): boolean {
  return !retry && code !== 'offline'
}
