// Numbers and texts one after the other in a piece of memory: 7 bits of a number in a byte, the lowest first.
// Invariant: what is read is what was written, in the same order; a reader never goes beyond its end.
import { readUtf8, utf8Length, writeUtf8 } from '../../core/text/utf8.ts'

export interface ByteWriter {
  /** A whole number, 0 to 2^53 − 1. */
  number(value: number): void
  /** A whole number of either sign, its size below 2^52. */
  signed(value: number): void
  text(value: string): void
  /** Bytes as they are; whoever reads them knows how many. */
  raw(bytes: Uint8Array): void
  /** A copy of all that was written. */
  bytes(): Uint8Array
}

export interface ByteReader {
  number(): number
  signed(): number
  text(): string
  /** Where it is: so many bytes were read. */
  at(): number
}

const startBytes = 65_536
/** Bytes that a number takes at most. */
const numberBytes = 8
/** Up to here the operators on 32 bits do. */
const smallLimit = 2 ** 28
/** More arguments than this are not given at once. */
const pieceBytes = 4096

export function createByteWriter(): ByteWriter {
  let bytes = new Uint8Array(startBytes)
  let length = 0
  const reserve = (more: number) => {
    if (length + more <= bytes.length) return
    const grown = new Uint8Array(Math.max(bytes.length * 2, length + more))
    grown.set(bytes)
    bytes = grown
  }
  const number = (value: number) => {
    if (length + numberBytes > bytes.length) reserve(numberBytes)
    let rest = value
    for (; rest >= smallLimit; rest = Math.floor(rest / 128)) bytes[length++] = (rest % 128) | 128
    for (; rest >= 128; rest >>>= 7) bytes[length++] = (rest & 127) | 128
    bytes[length++] = rest
  }
  return {
    number,
    signed: (value) => number(value < 0 ? -2 * value - 1 : 2 * value),
    text(value) {
      const size = utf8Length(value)
      number(size)
      reserve(size)
      length += writeUtf8(value, bytes, length)
    },
    raw(more) {
      reserve(more.length)
      bytes.set(more, length)
      length += more.length
    },
    bytes: () => bytes.slice(0, length),
  }
}

/** Reads what `createByteWriter` wrote; beyond the end it throws a `RangeError`. */
export function createByteReader(bytes: Uint8Array): ByteReader {
  let at = 0
  const number = () => {
    let byte = bytes[at++] ?? beyond()
    let value = byte & 127
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = bytes[at++] ?? beyond()
      value += (byte & 127) * scale
    }
    return value
  }
  return {
    number,
    signed() {
      const value = number()
      return value % 2 === 1 ? -(value + 1) / 2 : value / 2
    },
    text() {
      const size = number()
      if (size > bytes.length - at) beyond()
      return textOf(bytes.subarray(at, (at += size)))
    },
    at: () => at,
  }
}

function textOf(bytes: Uint8Array): string {
  for (let i = 0; i < bytes.length; i++) if ((bytes[i] as number) >= 128) return readUtf8(bytes)
  let text = ''
  for (let from = 0; from < bytes.length; from += pieceBytes)
    // Spreading would ask an iterator for each byte.
    text += Reflect.apply(String.fromCharCode, String, bytes.subarray(from, from + pieceBytes))
  return text
}

function beyond(): never {
  throw new RangeError('The bytes end too early.')
}
