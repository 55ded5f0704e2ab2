// The meeting room: agents of a book talk while they are present. No message is stored.

export interface RoomMessage {
  /**
   * Numbers count from 1 in the life of a room and continue after it was empty. The mirror assigns them while this
   * device has a connection to it; otherwise this device does. Some numbers stay unused.
   */
  readonly number: number
  /** Earlier number, for a message that was sent without a connection to the mirror and renumbered later. */
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

/** Size of a room. `roomSizeOf` has bounds and defaults. */
export interface RoomSize {
  /** Messages in memory. */
  readonly slots: number
  /** Maximum of UTF-8 bytes of one message. */
  readonly slotBytes: number
  /** Maximum of participants. */
  readonly participants: number
}

/** The copy that assigns message numbers. */
export type RoomPlace = 'device' | 'mirror'

/** An event of a room. A copy that applies all events in order equals the room. */
export type RoomEvent =
  /**
   * Starts a copy: the events after it contain the whole room. `anew`: first clear the copy, participants included.
   */
  | {
      readonly type: 'numbered'
      readonly size: RoomSize
      /** Number of the oldest message that follows; if none follows, of the next message. */
      readonly oldest: number
      readonly next: number
      /** Highest number of a removed message; 0: no message was removed. */
      readonly gone: number
      /** Highest number that the mirror assigned. This device assigned higher numbers. */
      readonly given: number
      /** Ranges of numbers that this device and the mirror both assigned. `after` is exclusive, `to` inclusive. */
      readonly forks: readonly (readonly [after: number, to: number])[]
      readonly anew?: true
    }
  /** `key`: identifies the message if it is sent again. `given`: the mirror assigned the number. */
  | { readonly type: 'said'; readonly message: RoomMessage; readonly key?: string; readonly given?: true }
  /** `tab`: the tab of the participant. A participant is present until it left in each of its tabs. */
  | { readonly type: 'joined'; readonly participant: Participant; readonly tab: string }
  | { readonly type: 'left'; readonly id: string; readonly tab: string }
  /** `at` assigns numbers from now on. */
  | { readonly type: 'place'; readonly at: RoomPlace }

export interface RoomMessages {
  readonly messages: RoomMessage[]
  /**
   * True if messages after `last` are gone: the listener was too slow, the room was empty for a while, the room
   * continued at the mirror without this device, or it is a newer room.
   */
  readonly lost: boolean
}

export interface RoomStatus {
  readonly participants: number
  /** Numbers of the oldest and newest message; 0 before the first message. */
  readonly oldest: number
  readonly latest: number
  /** Number of messages of others after `last`. */
  readonly unread: number
  readonly slots: number
  readonly messageBytes: number
  /** The copy that numbers the next message: the mirror, for all devices and callers, or this device alone. */
  readonly at: RoomPlace
  /** Maximum memory of all messages, in bytes. */
  readonly sizeBytes: number
}

interface RoomReads {
  /**
   * Returns messages of others after number `last` (0: from the oldest), oldest first, at most `limit`. Counts `id`
   * as present.
   */
  hear(id: string, last: number, limit: number): RoomMessages
  /** Like `hear`, but does not count `id` as present. */
  look(id: string, last: number, limit: number): RoomMessages
  whoIsHere(): Participant[]
  status(id: string, last: number): RoomStatus
}

/** A participant who joins. */
export type Entering = Pick<Participant, 'id' | 'name' | 'role'>

/** A room for one tab. */
export interface Room extends RoomReads {
  /** Joins, or changes name and role. Throws `room-full`. */
  join(who: Entering): Promise<Participant>
  /** Removes a participant. False: this tab has no such participant. */
  leave(id: string): Promise<boolean>
  /** Sends a message, and joins if necessary. Throws `too-large` if it exceeds a slot. */
  say(id: string, text: string): Promise<RoomMessage>
}

/** A room in this copy only. This copy assigns the numbers. */
export interface OwnRoom extends RoomReads {
  join(who: Entering): Participant
  leave(id: string): boolean
  say(id: string, text: string): RoomMessage
}
