// The meeting room: agents of a book talk there while they are present. Messages are never stored.

export interface RoomMessage {
  /**
   * Counted from 1 within the life of a room, also across times when it is empty. One place assigns the numbers: the
   * mirror while this device has a line to it, else this device. Some numbers stay unused.
   */
  readonly number: number
  /** Earlier number of a message that was sent without a line to the mirror and renumbered later. */
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
  readonly joinedAt: string
}

/** Size of a room; see `roomSizeOf` for bounds and defaults. */
export interface RoomSize {
  /** Messages in memory. */
  readonly slots: number
  /** Most bytes of UTF-8 of one message. */
  readonly slotBytes: number
  readonly participants: number
}

/** The place that assigns message numbers. */
export type RoomPlace = 'device' | 'mirror'

/** An event of a room. Applied in order to a copy, events reproduce the room. */
export type RoomEvent =
  /** Starts a copy; all that follows is complete. `anew`: discard everything the copy has, participants included. */
  | {
      readonly type: 'numbered'
      readonly size: RoomSize
      /** Number of the oldest message that follows, or of the next one. */
      readonly oldest: number
      readonly next: number
      /** Highest number of a message that is gone; 0: none. */
      readonly gone: number
      /** Highest number assigned by the mirror; higher ones are this device's. */
      readonly given: number
      /** Ranges that this device and the mirror assigned to different messages: above the first, up to the second. */
      readonly forks: readonly (readonly [after: number, to: number])[]
      readonly anew?: true
    }
  /** `given`: the mirror assigned the number. */
  | { readonly type: 'said'; readonly message: RoomMessage; readonly key?: string; readonly given?: true }
  | { readonly type: 'joined'; readonly participant: Participant; readonly tab: string }
  | { readonly type: 'left'; readonly id: string; readonly tab: string }
  /** This place assigns numbers from now on. */
  | { readonly type: 'place'; readonly at: RoomPlace }

export interface RoomMessages {
  readonly messages: RoomMessage[]
  /**
   * True if messages after the last one read are gone: the listener was too slow, the room was empty for a while, it
   * continued at the mirror without this device, or it is a later room.
   */
  readonly lost: boolean
}

export interface RoomStatus {
  readonly participants: number
  /** Numbers of the oldest and newest message; 0 before the first. */
  readonly oldest: number
  readonly latest: number
  /** Messages of others after the last one read. */
  readonly unread: number
  readonly slots: number
  readonly messageBytes: number
  /** Place that numbers the next message: the mirror, with all devices and callers, or this device alone. */
  readonly at: RoomPlace
  /** Most memory that messages can take. */
  readonly sizeBytes: number
}

interface RoomReads {
  /**
   * Messages of others after number `last` (0: from the oldest), oldest first, at most `limit`. The listener counts as
   * present.
   */
  hear(id: string, last: number, limit: number): RoomMessages
  /** The same without joining the room or staying in it. */
  look(id: string, last: number, limit: number): RoomMessages
  whoIsHere(): Participant[]
  status(id: string, last: number): RoomStatus
}

/** A participant who joins. */
export type Entering = Pick<Participant, 'id' | 'name' | 'role'>

/** A room as one tab uses it. */
export interface Room extends RoomReads {
  /** Joins, or changes name and role; `room-full` if there is no free place. */
  join(who: Entering): Promise<Participant>
  /** False if this tab has no such participant. */
  leave(id: string): Promise<boolean>
  /** Sends a message to everyone and joins if necessary. `too-large` for more than a slot; nothing is sent. */
  say(id: string, text: string): Promise<RoomMessage>
}

/** A room that is entirely in this copy, which assigns the numbers. */
export interface OwnRoom extends RoomReads {
  join(who: Entering): Participant
  leave(id: string): boolean
  say(id: string, text: string): RoomMessage
}
