// The meeting room as others see it: where the agents of a book talk while they are there. Nothing said is kept.

export interface RoomMessage {
  /**
   * Counts from 1 within the life of a room: one that was empty goes on counting. Given by one place: the book's mirror while
   * this device has a line to it, else this device. Some numbers may be given to nothing.
   */
  readonly number: number
  /** Its number before: it was said on a device that had no line to the mirror, and was numbered anew when it had one again. */
  readonly was?: number
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

/** Where the numbers of messages are given. */
export type RoomPlace = 'device' | 'mirror'

/** What happened in a room; applied in order to a copy of it, it makes the same room. */
export type RoomEvent =
  /** Begins a copy: what follows is all there is. `anew`: in place of all that the copy knows, those who are there included. */
  | {
      readonly type: 'numbered'
      readonly size: RoomSize
      /** The number of the oldest message that follows, or of the one that is to come. */
      readonly oldest: number
      readonly next: number
      /** The highest number of what was said and is not there any more; 0: none. */
      readonly gone: number
      /** The highest number that the mirror has given; those above are of this device. */
      readonly given: number
      /** Numbers that this device gave while the mirror gave them to other messages: above the first, up to the second. */
      readonly forks: readonly (readonly [after: number, to: number])[]
      readonly anew?: true
    }
  /** `given`: it was the mirror that numbered it. */
  | { readonly type: 'said'; readonly message: RoomMessage; readonly key?: string; readonly given?: true }
  | { readonly type: 'joined'; readonly participant: Participant; readonly tab: string }
  | { readonly type: 'left'; readonly id: string; readonly tab: string }
  /** Numbers are given there from now on. */
  | { readonly type: 'place'; readonly at: RoomPlace }

export interface Heard {
  readonly messages: RoomMessage[]
  /**
   * Some messages after the last one heard are gone: the room went on without the listener, was empty meanwhile, went on at the
   * mirror while this device was away from it, or is a later one than the number is of.
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
  /** Where the next message is numbered: at the mirror, with all devices and callers, or on this device alone. */
  readonly at: RoomPlace
  /** All the memory the room will ever take for what is said. */
  readonly sizeBytes: number
}

interface RoomReads {
  /** Messages of others after number `last` (0: from the oldest), oldest first, at most `limit`. Whoever hears is there. */
  hear(id: string, last: number, limit: number): Heard
  /** The same for who only looks: it brings nobody in, and keeps nobody there. */
  look(id: string, last: number, limit: number): Heard
  whoIsHere(): Participant[]
  status(id: string, last: number): RoomStatus
}

/** Who comes in. */
export type Entering = Pick<Participant, 'id' | 'name' | 'role'>

/** A room as one tab may use it. */
export interface Room extends RoomReads {
  /** Comes in, or changes name and role; `room-full` when everyone's place is taken. */
  join(who: Entering): Promise<Participant>
  /** False when that one was not here, as far as this tab is concerned. */
  leave(id: string): Promise<boolean>
  /** Says something to everyone; who was not in the room is then. Longer than a slot: `too-large`, and nothing is said. */
  say(id: string, text: string): Promise<RoomMessage>
}

/** The same where all of it is in this copy, and numbers are given here. */
export interface OwnRoom extends RoomReads {
  join(who: Entering): Participant
  leave(id: string): boolean
  say(id: string, text: string): RoomMessage
}
