// The memory of a meeting room: a fixed ring of messages and a fixed table of participants in one buffer.
// Invariant: message n lies in slot n mod slots until n + slots is said; nothing is allocated after the beginning.
import type { RoomSize } from '../../core/capability/room-port.ts'
import { readUtf8, utf8Length, writeUtf8 } from '../../core/text/utf8.ts'
import { defaultRoom } from './room-size.ts'

/** Bytes that an id or a name may take. */
export const nameBytes = 128
const roleBytes = 64
const lengthBytes = 2

export interface RingMessage {
  readonly number: number
  readonly from: string
  readonly name: string
  readonly text: string
  readonly atMs: number
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
  writeMessage(message: RingMessage): void
  readMessage(number: number): RingMessage
  writePerson(place: number, person: RingPerson): void
  readPerson(place: number): RingPerson
}

/** Throws nothing: callers check lengths with `fits` first. */
export function createMeetingRing(size: RoomSize = defaultRoom): MeetingRing {
  const { slots, slotBytes: messageBytes, participants } = size
  const numberBytes = 8
  const slotBytes = 2 * numberBytes + 2 * (lengthBytes + nameBytes) + lengthBytes + messageBytes
  const placeBytes = numberBytes + 2 * (lengthBytes + nameBytes) + lengthBytes + roleBytes
  const peopleAt = slots * slotBytes
  const bytes = new Uint8Array(peopleAt + participants * placeBytes)
  const view = new DataView(bytes.buffer)

  const writeText = (at: number, text: string, limit: number) => {
    view.setUint16(at, writeUtf8(text, bytes, at + lengthBytes))
    return at + lengthBytes + limit
  }
  const readText = (at: number) =>
    readUtf8(bytes.subarray(at + lengthBytes, at + lengthBytes + view.getUint16(at)))
  const afterName = lengthBytes + nameBytes

  return {
    size,
    sizeBytes: bytes.length,
    writeMessage({ number, from, name, text, atMs }) {
      const slot = (number % slots) * slotBytes
      view.setFloat64(slot, number)
      view.setFloat64(slot + numberBytes, atMs)
      const afterFrom = writeText(slot + 2 * numberBytes, from, nameBytes)
      writeText(writeText(afterFrom, name, nameBytes), text, messageBytes)
    },
    readMessage(number) {
      const slot = (number % slots) * slotBytes
      const from = slot + 2 * numberBytes
      return {
        number: view.getFloat64(slot),
        atMs: view.getFloat64(slot + numberBytes),
        from: readText(from),
        name: readText(from + afterName),
        text: readText(from + 2 * afterName),
      }
    },
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
