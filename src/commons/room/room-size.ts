// How large a meeting room may be, and is where nobody says: all of its memory is taken once, so all of it is bounded.
import { DaybookError } from '../../core/errors.ts'
import type { RoomSize } from '../../core/capability/port/room-port.ts'
import { type OptionTable, optionsOf, wholeOption } from '../../core/option/option-check.ts'

/** 100 slots of 1,024 bytes and 32 participants: about 140 KB with who said what and when. */
export const defaultRoom: RoomSize = { slots: 100, slotBytes: 1024, participants: 32 }

/** Most bytes that the texts of a room may take together. */
const mostBytes = 16_777_216

const table: OptionTable<RoomSize> = {
  slots: wholeOption(1, 10_000),
  slotBytes: wholeOption(64, 65_535),
  participants: wholeOption(1, 1000),
}
const checkEach = optionsOf(table)

/** Checks the option `room`: `invalid-input` with the path of what is wrong. */
export function roomOption(value: unknown, path: string): void {
  checkEach(value, path)
  const { slots, slotBytes } = roomSizeOf(value as Partial<RoomSize>)
  if (slots * slotBytes <= mostBytes) return
  throw new DaybookError(
    'invalid-input',
    `\`${path}\`: \`slots\` times \`slotBytes\` may be ${mostBytes.toLocaleString('en')} bytes at most.`,
    { details: { path, limitBytes: mostBytes } },
  )
}

/** The size asked for, with what is usual where nothing is said. */
export function roomSizeOf(asked: Partial<RoomSize> = {}): RoomSize {
  return {
    slots: asked.slots ?? defaultRoom.slots,
    slotBytes: asked.slotBytes ?? defaultRoom.slotBytes,
    participants: asked.participants ?? defaultRoom.participants,
  }
}

/** A size in words, for comparing and telling: `100 × 1024 bytes, 32 participants`. */
export function roomSizeText({ slots, slotBytes, participants }: RoomSize): string {
  return `${slots} × ${slotBytes} bytes, ${participants} participants`
}
