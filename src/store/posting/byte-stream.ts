// Numbers and texts as bytes: unsigned numbers in LEB128, signed ones in zigzag coding, texts as UTF-8 after their
// length.
// Invariant: a reader returns the written values in the same order, and never reads past the end.
import { readUtf8, utf8Length, writeUtf8 } from '../../core/text/utf8.ts'

const initialBytes = 65_536
/** Most bytes of a number below 2^53, and the factor of the last of them. */
const maxNumberBytes = 8
const maxScale = 128 ** (maxNumberBytes - 1)
/** 32-bit operators work for numbers below this. */
const smallLimit = 2 ** 28
/** Bytes of one call of `String.fromCharCode`: engines limit the number of arguments. */
const maxCharCodes = 4096

export class ByteWriter {
  #bytes = new Uint8Array(initialBytes)
  #length = 0

  /** Writes a whole number from 0 to 2^53 − 1. Throws `RangeError` for any other. */
  number(value: number): void {
    if (value < 0 || !Number.isSafeInteger(value)) throw new RangeError(`${value} can't be written.`)
    if (this.#length + maxNumberBytes > this.#bytes.length) this.#reserve(maxNumberBytes)
    const bytes = this.#bytes
    let length = this.#length
    let rest = value
    for (; rest >= smallLimit; rest = Math.floor(rest / 128)) bytes[length++] = (rest % 128) | 128
    for (; rest >= 128; rest >>>= 7) bytes[length++] = (rest & 127) | 128
    bytes[length++] = rest
    this.#length = length
  }

  /** Writes a whole number from −2^52 to 2^52 − 1. Throws `RangeError` for any other. */
  signed(value: number): void {
    if (!Number.isInteger(value)) throw new RangeError(`${value} can't be written.`)
    this.number(value < 0 ? -2 * value - 1 : 2 * value)
  }

  /** Writes a text. A lone surrogate becomes U+FFFD. */
  text(value: string): void {
    const size = utf8Length(value)
    this.number(size)
    this.#reserve(size)
    this.#length += writeUtf8(value, this.#bytes, this.#length)
  }

  /** Writes bytes without their count, which the reader must know. */
  raw(more: Uint8Array): void {
    this.#reserve(more.length)
    this.#bytes.set(more, this.#length)
    this.#length += more.length
  }

  /** A copy of all bytes. */
  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length)
  }

  #reserve(more: number): void {
    const bytes = this.#bytes
    if (this.#length + more <= bytes.length) return
    this.#bytes = new Uint8Array(Math.max(bytes.length * 2, this.#length + more))
    this.#bytes.set(bytes)
  }
}

/** Reads the values of a `ByteWriter`. Throws `RangeError` past the end, or for a number that is too long. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #offset = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  number(): number {
    const bytes = this.#bytes
    let offset = this.#offset
    let byte = bytes[offset++] ?? throwEndOfBytes()
    let value = byte & 127
    for (let scale = 128; byte >= 128; scale *= 128) {
      if (scale > maxScale) throw new RangeError('A number has too many bytes.')
      byte = bytes[offset++] ?? throwEndOfBytes()
      value += (byte & 127) * scale
    }
    this.#offset = offset
    return value
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2
  }

  text(): string {
    const size = this.number()
    if (size > this.#bytes.length - this.#offset) throwEndOfBytes()
    return decodeText(this.#bytes.subarray(this.#offset, (this.#offset += size)))
  }

  /** How many bytes were read. */
  offset(): number {
    return this.#offset
  }
}

function decodeText(bytes: Uint8Array): string {
  for (let i = 0; i < bytes.length; i++) if ((bytes[i] as number) >= 128) return readUtf8(bytes)
  let text = ''
  for (let from = 0; from < bytes.length; from += maxCharCodes)
    // Spreading would call an iterator for each byte.
    text += Reflect.apply(String.fromCharCode, String, bytes.subarray(from, from + maxCharCodes))
  return text
}

function throwEndOfBytes(): never {
  throw new RangeError('The bytes end too early.')
}
