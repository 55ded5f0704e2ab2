// Frames of a socket: four bytes, big-endian, that say how long the JSON after them is, in bytes of UTF-8.
// Invariant: what a frame claims costs nothing; memory is taken for what has come, and never for more than a frame may have.
import { DaybookError } from '../../../core/errors.ts'

/** Most bytes of a message from whoever comes to the socket, and of one between two Daybooks that share a book. */
export const frameLimits = { message: 1_048_576, shared: 67_108_864 } as const

const headBytes = 4

/** `value` as a frame; throws `too-large` beyond `limitBytes`. */
export function toFrame(value: unknown, limitBytes: number): Buffer {
  const text = JSON.stringify(value)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > limitBytes) throw tooLarge(limitBytes)
  const frame = Buffer.allocUnsafe(headBytes + sizeBytes)
  frame.writeUInt32BE(sizeBytes)
  frame.write(text, headBytes)
  return frame
}

/** Puts frames together from whatever pieces a socket brings. */
export class FrameReader {
  /** Most bytes that the next frame may have. */
  limitBytes: number
  #pieces: Buffer[] = []
  #hasBytes = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  /** A frame has begun and has not ended. */
  get isWithin(): boolean {
    return this.#hasBytes > 0
  }

  push(piece: Buffer): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#hasBytes += piece.length
  }

  /** The next message, or undefined until there is more of it. Throws `too-large` and `invalid-input`, and is of no use then. */
  next(): { readonly message: unknown } | undefined {
    if (this.#hasBytes < headBytes) return undefined
    const sizeBytes = this.#joined(headBytes).readUInt32BE()
    if (sizeBytes > this.limitBytes) throw tooLarge(this.limitBytes)
    if (sizeBytes === 0) throw unreadable('It is empty')
    if (this.#hasBytes < headBytes + sizeBytes) return undefined
    const all = this.#joined(headBytes + sizeBytes)
    const body = all.subarray(headBytes, headBytes + sizeBytes)
    const rest = all.subarray(headBytes + sizeBytes)
    this.#pieces = rest.length > 0 ? [rest] : []
    this.#hasBytes = rest.length
    return { message: readJson(body) }
  }

  /** The first piece, made at least `bytes` long: pieces are joined once for a frame, not once for each that comes. */
  #joined(bytes: number): Buffer {
    const [first] = this.#pieces
    if (first && first.length >= bytes) return first
    const whole = Buffer.concat(this.#pieces)
    this.#pieces = [whole]
    return whole
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(body)) as unknown
  } catch {
    throw unreadable('It is not JSON in UTF-8')
  }
}

const unreadable = (why: string) =>
  new DaybookError('invalid-input', `A frame could not be read. ${why}.`, { details: { path: '' } })

const tooLarge = (limitBytes: number) =>
  new DaybookError('too-large', `A frame has at most ${limitBytes} bytes.`, { details: { limitBytes } })
