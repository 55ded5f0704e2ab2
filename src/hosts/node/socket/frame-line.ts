// One socket connection, as messages in frames.
// Invariant: a bad, cut-off or endless message ends this connection and affects nothing else; its buffers are bounded
// in both directions.
import type { Socket } from 'node:net'
import { type DaybookError, toDaybookError } from '../../../core/errors.ts'
import { frameLimits, FrameReader, toFrame } from './frame-reader.ts'

export interface FrameLineOptions {
  /** Called for each message, in order. If it throws, the message counts as an invalid frame. */
  readonly hear: (message: unknown) => void
  /** A frame was invalid, or `hear` threw. Messages posted now are sent before the connection ends. */
  readonly broken?: (error: DaybookError) => void
  /** The connection is over. */
  readonly closed: () => void
  /**
   * For the answering side: stop reading while many answers are unread. The other side always reads; if both
   * stopped, they would deadlock.
   */
  readonly waitsForReader?: boolean
  /** Milliseconds for the first message, and for one whole frame; default 5,000 and 30,000. */
  readonly timeouts?: Partial<LineTimeouts>
}

export interface LineTimeouts {
  readonly firstMs: number
  readonly frameMs: number
}

const defaultTimeouts: LineTimeouts = { firstMs: 5000, frameMs: 30_000 }
/** With more bytes that the other side has not read, the connection is cut. */
const unreadLimitBytes = 2 * frameLimits.shared
/** With more bytes that wait to be sent, `waitsForReader` stops reading until they are sent. */
const backlogBytes = 4 * frameLimits.message

export class FrameLine {
  readonly #socket: Socket
  readonly #options: FrameLineOptions
  readonly #reader = new FrameReader(frameLimits.message)
  readonly #timeouts: LineTimeouts
  /** Cuts the connection if the first message, or the rest of a frame, is late. */
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  /** True while more than `backlogBytes` wait to be sent. */
  #isBacklogged = false
  #isBroken = false

  constructor(socket: Socket, options: FrameLineOptions) {
    this.#socket = socket
    this.#options = options
    this.#timeouts = { ...defaultTimeouts, ...options.timeouts }
    this.#startTimer(this.#timeouts.firstMs)
    socket.on('data', (piece) => this.#take(piece as Buffer))
    // The reason doesn't matter: `closed` follows.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(this.#timer)
      options.closed()
    })
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  /** Allows frames of the size that two Daybooks use. */
  widen(): void {
    this.#reader.limitBytes = frameLimits.shared
  }

  /** Sends a message, unless the connection is over. Throws `too-large` if it doesn't fit in a frame. */
  post(message: unknown): void {
    if (!this.#socket.writable) return
    this.#socket.write(toFrame(message, this.#reader.limitBytes))
    const { writableLength } = this.#socket
    if (writableLength > unreadLimitBytes) this.#socket.destroy()
    else if (this.#options.waitsForReader && writableLength > backlogBytes) this.#waitForReader()
  }

  /** Stops or resumes reading. Senders wait meanwhile. */
  pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    this.#updateReading()
  }

  /** True: the connection keeps the process alive. */
  hold(isHeld: boolean): void {
    if (isHeld) this.#socket.ref()
    else this.#socket.unref()
  }

  /** Sends what was posted, then ends. */
  end(): void {
    this.#socket.end(() => this.#socket.destroy())
  }

  cut(): void {
    this.#socket.destroy()
  }

  get #isStopped(): boolean {
    return this.#isPaused || this.#isBacklogged
  }

  #waitForReader(): void {
    if (this.#isBacklogged) return
    this.#isBacklogged = true
    this.#updateReading()
    this.#socket.once('drain', () => {
      this.#isBacklogged = false
      this.#updateReading()
    })
  }

  #updateReading(): void {
    if (this.#isStopped) this.#socket.pause()
    else {
      this.#socket.resume()
      this.#drain()
    }
  }

  #take(piece: Buffer): void {
    if (this.#isBroken) return
    this.#reader.push(piece)
    this.#drain()
  }

  #drain(): void {
    try {
      while (!this.#isStopped && !this.#isBroken) {
        const found = this.#reader.next()
        if (!found) break
        this.#stopTimer()
        this.#options.hear(found.message)
      }
    } catch (error) {
      this.#isBroken = true
      this.#options.broken?.(toDaybookError(error))
      this.end()
      // Cut a sender that never stops and never reads.
      this.#startTimer(this.#timeouts.firstMs)
      return
    }
    if (this.#reader.hasPart && !this.#isStopped) this.#startTimer(this.#timeouts.frameMs)
  }

  /** One timer for a whole frame: a slow trickle of bytes doesn't restart it. */
  #startTimer(ms: number): void {
    this.#timer ??= setTimeout(() => this.cut(), ms).unref()
  }

  #stopTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
