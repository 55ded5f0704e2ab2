// The size of a meeting room: its default and its limits.
import { DaybookError } from '../../core/errors.ts'
import type { RoomSize } from '../../core/capability/port/room-port.ts'
import { type OptionTable, optionsOf, wholeOption } from '../../core/option-check.ts'

/** 100 slots of 1,024 bytes and 32 participants: about 140 KB with names and times. */
export const defaultRoom: RoomSize = { slots: 100, slotBytes: 1024, participants: 32 }

/** Most bytes of message text in a room: `slots` times `slotBytes`. */
const mostBytes = 16_777_216

const table: OptionTable<RoomSize> = {
  slots: wholeOption(1, 10_000),
  slotBytes: wholeOption(64, 65_535),
  participants: wholeOption(1, 1000),
}
const checkEach = optionsOf(table)

/** Checks the option `room`, which is at `path`. Throws `invalid-input` with the path of the wrong field. */
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

/** The wanted size, completed with defaults. */
export function roomSizeOf(wanted: Partial<RoomSize> = {}): RoomSize {
  return {
    slots: wanted.slots ?? defaultRoom.slots,
    slotBytes: wanted.slotBytes ?? defaultRoom.slotBytes,
    participants: wanted.participants ?? defaultRoom.participants,
  }
}

/** A size as text, to compare and to show, such as `100 × 1024 bytes, 32 participants`. */
export function roomSizeText({ slots, slotBytes, participants }: RoomSize): string {
  return `${slots} × ${slotBytes} bytes, ${participants} participants`
}
