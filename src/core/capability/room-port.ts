// The meeting room as others see it: where the agents of a book talk while they are there. Nothing said is kept.

export interface RoomMessage {
  /** Counts from 1 as long as some tab has the book open: a room that was empty goes on counting. */
  readonly number: number
  readonly from: string
  readonly name: string
  readonly text: string
  readonly at: string
}

export interface Participant {
  readonly id: string
  readonly name: string
  readonly role: string
  readonly joined_at: string
}

/** How large a room is; see `roomSizeOf` for the bounds and what is usual. */
export interface RoomSize {
  /** Messages that are kept. */
  readonly slots: number
  /** Bytes of UTF-8 that one may take. */
  readonly slotBytes: number
  readonly participants: number
}

/** What happened in a room; applied in order to a copy of it, it makes the same room. */
export type RoomEvent =
  /** Begins a copy: its size, the number of the first message that may still be there, and of the next one. */
  | { readonly type: 'numbered'; readonly first: number; readonly next: number; readonly size: RoomSize }
  | { readonly type: 'said'; readonly message: RoomMessage; readonly key?: string }
  | { readonly type: 'joined'; readonly participant: Participant; readonly tab: string }
  | { readonly type: 'left'; readonly id: string; readonly tab: string }

export interface Heard {
  readonly messages: RoomMessage[]
  /**
   * Some messages after the last one heard are gone: the room went on without the listener, was empty meanwhile, or is a later
   * one than the number is of.
   */
  readonly lost: boolean
}

export interface RoomStatus {
  readonly participants: number
  /** Numbers of the oldest and the newest message there are; 0 while nothing was said. */
  readonly oldest: number
  readonly latest: number
  /** Messages of others after the last one heard. */
  readonly unread: number
  readonly slots: number
  readonly messageBytes: number
  /** All the memory the room will ever take for what is said. */
  readonly sizeBytes: number
}

/** A room as one tab may use it. */
export interface Room {
  /** Comes in, or changes name and role; `room-full` when everyone's place is taken. */
  join(who: { readonly id: string; readonly name: string; readonly role: string }): Participant
  /** False when that one was not here, as far as this tab is concerned. */
  leave(id: string): boolean
  /** Says something to everyone; who was not in the room is then. Longer than a slot: `too-large`, and nothing is said. */
  say(id: string, text: string): RoomMessage
  /** Messages of others after number `last` (0: from the oldest), oldest first, at most `limit`. Whoever hears is there. */
  hear(id: string, last: number, limit: number): Heard
  whoIsHere(): Participant[]
  status(id: string, last: number): RoomStatus
}
