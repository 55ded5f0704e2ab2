// The size of a meeting room: its default and its limits.
import { invalidInput } from '../../core/errors.ts'
import type { RoomSize } from '../../core/capability/port/room-port.ts'
import { integerOption, type OptionTable, optionsOf } from '../../core/option-check.ts'

/** 100 slots of 1,024 bytes and 32 participants: about 140 KB with names and times. */
export const defaultRoomSize: RoomSize = { slots: 100, slotBytes: 1024, participants: 32 }

/** Most bytes of message text in a room: `slots` times `slotBytes`. */
const maxTextBytes = 16_777_216

const optionTable: OptionTable<RoomSize> = {
  slots: integerOption(1, 10_000),
  slotBytes: integerOption(64, 65_535),
  participants: integerOption(1, 1000),
}
const checkFields = optionsOf(optionTable)

/** Checks the option `room`, which is at `path`. Throws `invalid-input` with the path of the wrong field. */
export function checkRoomOption(value: unknown, path: string): void {
  checkFields(value, path)
  const { slots, slotBytes } = roomSizeOf(value as Partial<RoomSize>)
  if (slots * slotBytes <= maxTextBytes) return
  throw invalidInput(
    path,
    `\`slots\` times \`slotBytes\` may be ${maxTextBytes.toLocaleString('en')} bytes at most`,
    { limitBytes: maxTextBytes },
  )
}

/** The wanted size, completed with defaults. */
export function roomSizeOf(options: Partial<RoomSize> = {}): RoomSize {
  return {
    slots: options.slots ?? defaultRoomSize.slots,
    slotBytes: options.slotBytes ?? defaultRoomSize.slotBytes,
    participants: options.participants ?? defaultRoomSize.participants,
  }
}

/** A size as text, to compare and to show, such as `100 × 1024 bytes, 32 participants`. */
export function roomSizeText({ slots, slotBytes, participants }: RoomSize): string {
  return `${slots} × ${slotBytes} bytes, ${participants} participants`
}
