// One connection of a socket, as messages. Invariant: whatever comes over it, ends in the middle or never ends costs this
// connection and nothing else: it is cut, and its memory is bounded both ways.
import type { Socket } from 'node:net'
import { type DaybookError, toDaybookError } from '../../../core/errors.ts'
import { frameLimits, FrameReader, toFrame } from './frame-reader.ts'

export interface FrameLineOptions {
  readonly hear: (message: unknown) => void
  /** What came was no frame. What is posted now is sent before the connection ends. */
  readonly broken?: (error: DaybookError) => void
  /** It is over, whoever ended it. */
  readonly closed: () => void
  /**
   * Reads nothing more while much of what was answered is not read: for the side that answers. The other always reads, or
   * both could wait for each other.
   */
  readonly waitsForReader?: boolean
  /** Milliseconds for the first message to come, and for a frame that has begun to end; 5,000 and 30,000. */
  readonly patience?: Partial<LinePatience>
}

export interface LinePatience {
  readonly firstMs: number
  readonly frameMs: number
}

const defaultPatience: LinePatience = { firstMs: 5000, frameMs: 30_000 }
/** Who does not read what it asked for is cut off when this much waits. */
const unreadLimitBytes = 2 * frameLimits.shared
/** From this much on that waits to be read, and until it is sent, nothing more is taken in. */
const backlogBytes = 4 * frameLimits.message

export class FrameLine {
  readonly #socket: Socket
  readonly #options: FrameLineOptions
  readonly #reader = new FrameReader(frameLimits.message)
  readonly #patience: LinePatience
  #timer: NodeJS.Timeout | undefined
  #isPaused = false
  #isClogged = false
  #isBroken = false

  constructor(socket: Socket, options: FrameLineOptions) {
    this.#socket = socket
    this.#options = options
    this.#patience = { ...defaultPatience, ...options.patience }
    this.#await(this.#patience.firstMs)
    socket.on('data', (piece) => this.#take(piece as Buffer))
    // Why it ended makes no difference to anybody: `closed` follows.
    socket.on('error', () => undefined)
    socket.once('close', () => {
      clearTimeout(this.#timer)
      options.closed()
    })
  }

  /** Lets frames be as large as those between two Daybooks. */
  widen(): void {
    this.#reader.limitBytes = frameLimits.shared
  }

  /** Throws `too-large` for what no frame holds. */
  post(message: unknown): void {
    if (!this.#socket.writable) return
    this.#socket.write(toFrame(message, this.#reader.limitBytes))
    const { writableLength } = this.#socket
    if (writableLength > unreadLimitBytes) this.#socket.destroy()
    else if (this.#options.waitsForReader && writableLength > backlogBytes) this.#waitForReader()
  }

  /** Takes in no more messages until told to go on; who sends meanwhile has to wait. */
  pause(isPaused: boolean): void {
    if (this.#isPaused === isPaused) return
    this.#isPaused = isPaused
    this.#follow()
  }

  /** Whether it keeps the process alive. */
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
    return this.#isPaused || this.#isClogged
  }

  #waitForReader(): void {
    if (this.#isClogged) return
    this.#isClogged = true
    this.#follow()
    this.#socket.once('drain', () => {
      this.#isClogged = false
      this.#follow()
    })
  }

  #follow(): void {
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
        this.#restTimer()
        this.#options.hear(found.message)
      }
    } catch (error) {
      this.#isBroken = true
      this.#options.broken?.(toDaybookError(error))
      this.end()
      // Whoever sends without end and never reads is not waited for.
      this.#await(this.#patience.firstMs)
      return
    }
    if (this.#reader.isWithin && !this.#isStopped) this.#await(this.#patience.frameMs)
  }

  /** One timer for a frame, from its first byte: dripping does not wind it up again. */
  #await(ms: number): void {
    this.#timer ??= setTimeout(() => this.cut(), ms).unref()
  }

  #restTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}
