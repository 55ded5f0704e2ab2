// Frames of a socket: the length of the JSON in UTF-8 bytes (four bytes, big-endian), then the JSON.
// Invariant: memory grows with received bytes, not with a claimed length, and never beyond the limit of a
// frame.
import { DaybookError } from '../../../core/errors.ts'

/** Most bytes of a message: `message` from any sender, `shared` between two processes that share a book. */
export const frameLimits = { message: 1_048_576, shared: 67_108_864 } as const

const headBytes = 4

/** Encodes `value` as a frame; throws `too-large` beyond `limitBytes`. */
export function toFrame(value: unknown, limitBytes: number): Buffer {
  const text = JSON.stringify(value)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > limitBytes) throw tooLarge(limitBytes)
  const frame = Buffer.allocUnsafe(headBytes + sizeBytes)
  frame.writeUInt32BE(sizeBytes)
  frame.write(text, headBytes)
  return frame
}

/** Assembles frames from pieces of any size. */
export class FrameReader {
  limitBytes: number
  #pieces: Buffer[] = []
  #bufferedBytes = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  /** True if it has the first bytes of a frame. */
  get hasPart(): boolean {
    return this.#bufferedBytes > 0
  }

  push(piece: Buffer): void {
    if (piece.length === 0) return
    this.#pieces.push(piece)
    this.#bufferedBytes += piece.length
  }

  /**
   * The next message, or undefined if it is incomplete. After `too-large` or `invalid-input` the reader is
   * unusable.
   */
  next(): { readonly message: unknown } | undefined {
    if (this.#bufferedBytes < headBytes) return undefined
    const sizeBytes = this.#joined(headBytes).readUInt32BE()
    if (sizeBytes > this.limitBytes) throw tooLarge(this.limitBytes)
    if (sizeBytes === 0) throw unreadable('It is empty')
    if (this.#bufferedBytes < headBytes + sizeBytes) return undefined
    const all = this.#joined(headBytes + sizeBytes)
    const body = all.subarray(headBytes, headBytes + sizeBytes)
    const rest = all.subarray(headBytes + sizeBytes)
    this.#pieces = rest.length > 0 ? [rest] : []
    this.#bufferedBytes = rest.length
    return { message: readJson(body) }
  }

  /**
   * The first piece, at least `bytes` long; the caller has checked that so many are buffered. Joins pieces
   * once a frame, not once a piece.
   */
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
