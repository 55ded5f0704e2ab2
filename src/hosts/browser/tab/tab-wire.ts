// What the workers of a book's tabs say to each other, over channels of the origin.
// Invariant: what an owner says carries the epoch of its turn, and no tab heeds an earlier owner than it has heard of.
// The shape of `join`, `owner` and `refuse` is the same in every version, so that old and new can part in peace.
import type { ErrorShape } from '../../../core/errors.ts'
import type { BookEvent } from '../../../core/capability/event.ts'
import type { Durability, Scope } from '../../../core/record.ts'
import type { RoomEvent } from '../../../core/capability/room-port.ts'
import { schemaVersion } from '../../../store/schema/schema.ts'
import type { CallMessage, Reply } from '../wire/message.ts'

/** Grows when the messages below change. */
const wireVersion = 3

/** Of the code that a tab runs: these messages, then the schema of the book. */
export type TabVersion = readonly [wire: number, schema: number]
export const tabVersion: TabVersion = [wireVersion, schemaVersion]

/** Below 0 when `a` is older than `b`. Mixed ones (an older wire with a newer schema) go by the wire. */
export function compareVersions(a: TabVersion, b: TabVersion): number {
  return a[0] - b[0] || a[1] - b[1]
}

/** A tab that would like to be served. */
export interface Joiner {
  /** Names its line, and the lock it holds while it lives. */
  readonly tab: string
  readonly version: TabVersion
  readonly scope: Scope
  readonly strict: boolean
  /** The embedder it was opened with, as `provider|model`; an older tab does not say. */
  readonly embedder?: string | undefined
  /** The address of its mirror and the name of its language model, if it has them. */
  readonly mirror?: string | undefined
  readonly llm?: string | undefined
  /** How large a meeting room it asked for, in words. */
  readonly room?: string | undefined
}

/** Heard by every tab of the book. */
export type SharedMessage =
  | ({ readonly type: 'join' } & Joiner)
  | { readonly type: 'owner'; readonly epoch: number }
  /** Somebody waits for this owner (for any, without an epoch) and has heard nothing for long. */
  | { readonly type: 'yield'; readonly epoch?: number }
  | { readonly type: 'event'; readonly epoch: number; readonly event: BookEvent }

/** On the line of one follower, to the owner. */
export type FollowerMessage =
  | {
      readonly type: 'call'
      readonly epoch: number
      readonly id: string
      readonly calls: readonly CallMessage[]
      /** Calls below this number are settled; their answers need not be kept. */
      readonly settled: number
    }
  | { readonly type: 'abort'; readonly epoch: number; readonly number: number }
  /** Their answers are kept when this tab is gone: it gave them up, and they may be called again. */
  | { readonly type: 'keep'; readonly epoch: number; readonly numbers: readonly number[] }
  | { readonly type: 'ping'; readonly epoch: number }
  | { readonly type: 'leave' }

/** On the line of one follower, from an owner. */
export type OwnerMessage =
  | { readonly type: 'welcome'; readonly epoch: number; readonly durability: Durability }
  | { readonly type: 'refuse'; readonly error: ErrorShape }
  | {
      readonly type: 'answer'
      readonly epoch: number
      readonly replies: readonly (readonly [number: number, reply: Reply])[]
    }
  | { readonly type: 'pong'; readonly epoch: number }
  /** What happened in the meeting room; `whole` begins a new copy of it. */
  | {
      readonly type: 'room'
      readonly epoch: number
      readonly whole: boolean
      readonly events: readonly RoomEvent[]
    }

export const ownerLock = (book: string) => `daybook:${book}:owner`
export const sharedName = (book: string) => `daybook:${book}:tabs`
export const lineName = (book: string, tab: string) => `daybook:${book}:tab:${tab}`
