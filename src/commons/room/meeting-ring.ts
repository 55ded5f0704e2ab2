// The memory of a meeting room: one buffer with a ring of messages and a table of participants, both of fixed size.
// Invariant: the buffer never grows, and a write changes only its own slot. A mirror stores the buffer in its
// row, so don't change the layout.
import type { RoomSize } from '../../core/capability/port/room-port.ts'
import { readUtf8, utf8Length, writeUtf8 } from '../../core/text/utf8.ts'
import { defaultRoomSize } from './room-size.ts'

/** Most UTF-8 bytes of an id or a name. */
export const maxNameBytes = 128
const maxRoleBytes = 64
const lengthBytes = 2
const numberBytes = 8
/** Bytes of a message key, which is 32 hexadecimal digits; see `messageKey`. */
const keyBytes = 16
const messageHeaderBytes = 3 * numberBytes + keyBytes
const nameFieldBytes = lengthBytes + maxNameBytes

export interface RingMessage {
  readonly number: number
  readonly from: string
  readonly name: string
  readonly text: string
  readonly atMs: number
  /** The number that the speaker's device assigned first, before the mirror assigned `number`; 0: none. */
  readonly was: number
  /** 32 hexadecimal digits; `noKey`: the message has no key. */
  readonly key: string
}

export interface RingParticipant {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly atMs: number
}

/** Bytes of the buffer of a room of this size. */
export function ringBytes({ slots, slotBytes, participants }: RoomSize): number {
  return slots * messageSlotBytes(slotBytes) + participants * participantSlotBytes
}

const messageSlotBytes = (maxTextBytes: number) =>
  messageHeaderBytes + 2 * nameFieldBytes + lengthBytes + maxTextBytes
const participantSlotBytes = numberBytes + 2 * nameFieldBytes + lengthBytes + maxRoleBytes

/** Checks no lengths. Before a write, check a participant with `fitsParticipant`, and a text against `slotBytes`. */
export class MeetingRing {
  readonly size: RoomSize
  /** The buffer itself, not a copy. */
  readonly bytes: Uint8Array
  readonly #view: DataView
  readonly #slotBytes: number
  readonly #participantsOffset: number

  /** `from`: the `bytes` of a ring of the same size; they are copied. Default: an empty ring. */
  constructor(size: RoomSize = defaultRoomSize, from?: Uint8Array) {
    this.size = size
    this.bytes = new Uint8Array(ringBytes(size))
    if (from) this.bytes.set(from.subarray(0, this.bytes.length))
    this.#view = new DataView(this.bytes.buffer)
    this.#slotBytes = messageSlotBytes(size.slotBytes)
    this.#participantsOffset = size.slots * this.#slotBytes
  }

  get sizeBytes(): number {
    return this.bytes.length
  }

  writeMessage(slotIndex: number, { number, from: speaker, name, text, atMs, was, key }: RingMessage): void {
    const offset = slotIndex * this.#slotBytes
    this.#view.setFloat64(offset, number)
    this.#view.setFloat64(offset + numberBytes, atMs)
    this.#view.setFloat64(offset + 2 * numberBytes, was)
    this.#writeKey(offset + 3 * numberBytes, key)
    const nameOffset = this.#writeText(offset + messageHeaderBytes, speaker, maxNameBytes)
    this.#writeText(this.#writeText(nameOffset, name, maxNameBytes), text, this.size.slotBytes)
  }

  readMessage(slotIndex: number): RingMessage {
    const offset = slotIndex * this.#slotBytes
    const textsOffset = offset + messageHeaderBytes
    return {
      number: this.#view.getFloat64(offset),
      atMs: this.#view.getFloat64(offset + numberBytes),
      was: this.#view.getFloat64(offset + 2 * numberBytes),
      key: this.#readKey(offset + 3 * numberBytes),
      from: this.#readText(textsOffset),
      name: this.#readText(textsOffset + nameFieldBytes),
      text: this.#readText(textsOffset + 2 * nameFieldBytes),
    }
  }

  readNumber(slotIndex: number): number {
    return this.#view.getFloat64(slotIndex * this.#slotBytes)
  }

  writeParticipant(slotIndex: number, { id, name, role, atMs }: RingParticipant): void {
    const offset = this.#participantsOffset + slotIndex * participantSlotBytes
    this.#view.setFloat64(offset, atMs)
    const nameOffset = this.#writeText(offset + numberBytes, id, maxNameBytes)
    this.#writeText(this.#writeText(nameOffset, name, maxNameBytes), role, maxRoleBytes)
  }

  readParticipant(slotIndex: number): RingParticipant {
    const offset = this.#participantsOffset + slotIndex * participantSlotBytes
    const textsOffset = offset + numberBytes
    return {
      atMs: this.#view.getFloat64(offset),
      id: this.#readText(textsOffset),
      name: this.#readText(textsOffset + nameFieldBytes),
      role: this.#readText(textsOffset + 2 * nameFieldBytes),
    }
  }

  #writeText(offset: number, text: string, maxBytes: number): number {
    this.#view.setUint16(offset, writeUtf8(text, this.bytes, offset + lengthBytes))
    return offset + lengthBytes + maxBytes
  }

  #readText(offset: number): string {
    const start = offset + lengthBytes
    return readUtf8(this.bytes.subarray(start, start + this.#view.getUint16(offset)))
  }

  #writeKey(offset: number, key: string): void {
    for (let i = 0; i < keyBytes; i++)
      this.bytes[offset + i] = Number.parseInt(key.slice(2 * i, 2 * i + 2), 16) || 0
  }

  #readKey(offset: number): string {
    const bytes = this.bytes.subarray(offset, offset + keyBytes)
    return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  }
}

/** True if the id, name and role of a participant fit their fields. */
export function fitsParticipant({ id, name, role }: Pick<RingParticipant, 'id' | 'name' | 'role'>): boolean {
  return (
    utf8Length(id) <= maxNameBytes && utf8Length(name) <= maxNameBytes && utf8Length(role) <= maxRoleBytes
  )
}
