// The memory of a meeting room: a fixed ring of messages and a fixed table of participants in one buffer.
// Invariant: what is written at a place stays there until that place is written again; nothing is allocated after the beginning.
import type { RoomSize } from '../../core/capability/port/room-port.ts'
import { readUtf8, utf8Length, writeUtf8 } from '../../core/text/utf8.ts'
import { defaultRoom } from './room-size.ts'

/** Bytes that an id or a name may take. */
export const nameBytes = 128
const roleBytes = 64
const lengthBytes = 2
const numberBytes = 8
/** 32 hexadecimal digits: see `messageKey`. */
const keyBytes = 16
const headBytes = 3 * numberBytes + keyBytes

export interface RingMessage {
  readonly number: number
  readonly from: string
  readonly name: string
  readonly text: string
  readonly atMs: number
  /** The number that its speaker's device had given it before; 0: none. */
  readonly was: number
  /** 32 hexadecimal digits. */
  readonly key: string
}

export interface RingPerson {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly atMs: number
}

export interface MeetingRing {
  readonly size: RoomSize
  readonly sizeBytes: number
  /** All of it, to be written down; the memory itself, and no copy. */
  readonly bytes: Uint8Array
  writeMessage(place: number, message: RingMessage): void
  readMessage(place: number): RingMessage
  readNumber(place: number): number
  writePerson(place: number, person: RingPerson): void
  readPerson(place: number): RingPerson
}

/** Bytes that a room of this size takes. */
export function ringBytes({ slots, slotBytes, participants }: RoomSize): number {
  return slots * slotOf(slotBytes) + participants * placeBytes
}

const slotOf = (messageBytes: number) =>
  headBytes + 2 * (lengthBytes + nameBytes) + lengthBytes + messageBytes
const placeBytes = numberBytes + 2 * (lengthBytes + nameBytes) + lengthBytes + roleBytes

/** Throws nothing: callers check lengths with `fitsPerson` first. `from`: what such a ring had written down. */
export function createMeetingRing(size: RoomSize = defaultRoom, from?: Uint8Array): MeetingRing {
  const { slots, slotBytes: messageBytes } = size
  const slotBytes = slotOf(messageBytes)
  const peopleAt = slots * slotBytes
  const bytes = new Uint8Array(ringBytes(size))
  if (from) bytes.set(from.subarray(0, bytes.length))
  const view = new DataView(bytes.buffer)

  const writeText = (at: number, text: string, limit: number) => {
    view.setUint16(at, writeUtf8(text, bytes, at + lengthBytes))
    return at + lengthBytes + limit
  }
  const readText = (at: number) =>
    readUtf8(bytes.subarray(at + lengthBytes, at + lengthBytes + view.getUint16(at)))
  const writeKey = (at: number, key: string) => {
    for (let i = 0; i < keyBytes; i++) bytes[at + i] = Number.parseInt(key.slice(2 * i, 2 * i + 2), 16) || 0
  }
  const readKey = (at: number) =>
    Array.from(bytes.subarray(at, at + keyBytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
  const afterName = lengthBytes + nameBytes

  return {
    size,
    sizeBytes: bytes.length,
    bytes,
    writeMessage(place, { number, from: speaker, name, text, atMs, was, key }) {
      const slot = place * slotBytes
      view.setFloat64(slot, number)
      view.setFloat64(slot + numberBytes, atMs)
      view.setFloat64(slot + 2 * numberBytes, was)
      writeKey(slot + 3 * numberBytes, key)
      const afterFrom = writeText(slot + headBytes, speaker, nameBytes)
      writeText(writeText(afterFrom, name, nameBytes), text, messageBytes)
    },
    readMessage(place) {
      const slot = place * slotBytes
      const speaker = slot + headBytes
      return {
        number: view.getFloat64(slot),
        atMs: view.getFloat64(slot + numberBytes),
        was: view.getFloat64(slot + 2 * numberBytes),
        key: readKey(slot + 3 * numberBytes),
        from: readText(speaker),
        name: readText(speaker + afterName),
        text: readText(speaker + 2 * afterName),
      }
    },
    readNumber: (place) => view.getFloat64(place * slotBytes),
    writePerson(place, { id, name, role, atMs }) {
      const at = peopleAt + place * placeBytes
      view.setFloat64(at, atMs)
      const afterId = writeText(at + numberBytes, id, nameBytes)
      writeText(writeText(afterId, name, nameBytes), role, roleBytes)
    },
    readPerson(place) {
      const at = peopleAt + place * placeBytes
      const id = at + numberBytes
      return {
        atMs: view.getFloat64(at),
        id: readText(id),
        name: readText(id + afterName),
        role: readText(id + 2 * afterName),
      }
    },
  }
}

/** Whether the texts of a participant fit their places. */
export function fitsPerson({ id, name, role }: Pick<RingPerson, 'id' | 'name' | 'role'>): boolean {
  return utf8Length(id) <= nameBytes && utf8Length(name) <= nameBytes && utf8Length(role) <= roleBytes
}
