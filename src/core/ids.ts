// Record ids: UUID version 7 (RFC 9562). Ids ascend, so indexes append new records at their end. Other ids are a kind
// and `::` with names (text/name-id.ts), or are spelled by another specification.
// Invariant: ids of one generator ascend, even if the clock stops or goes back.
import type { Clock, Random } from './ports.ts'

export interface Ids {
  /** Returns a new record id. */
  next(): string
}

const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Formats `bytes` as lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += hex[byte] ?? ''
  return text
}

/** Creates a generator of UUIDv7: 48 bits of milliseconds, a 12-bit counter per millisecond, 62 random bits. */
export function createIds(ports: { clock: Clock; random: Random }): Ids {
  let lastMs = 0
  let counter = 0
  /** `lastMs` as it is spelled in an id. */
  let time = spellTime(0)
  return {
    next() {
      const bytes = ports.random.bytes(8)
      const now = Math.max(0, Math.floor(ports.clock.now()))
      if (now > lastMs) {
        lastMs = now
        time = spellTime(now)
        // A random start of 7 bits leaves most of the 12 bits for counting.
        counter = (bytes[0] ?? 0) & 0x7f
      } else if (++counter > 0xfff) {
        lastMs += 1
        time = spellTime(lastMs)
        counter = 0
      }
      const random = toHex(bytes)
      return `${time}-7${hex[counter >> 4]}${hexDigit(counter & 0xf)}-${hexDigit(0x8 | ((bytes[0] ?? 0) >> 6))}${random.slice(1, 4)}-${random.slice(4)}`
    },
  }
}

const hexDigit = (value: number) => hex[value]?.slice(1)

/** The milliseconds of an id: 8 and 4 hexadecimal digits. */
function spellTime(ms: number): string {
  const text = ms.toString(16).padStart(12, '0')
  return `${text.slice(0, 8)}-${text.slice(8)}`
}

const idPattern = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

/** True for 1 to 128 ASCII letters, digits and `._:-`, with a letter or digit first. */
export function isRecordId(text: string): boolean {
  return idPattern.test(text)
}
