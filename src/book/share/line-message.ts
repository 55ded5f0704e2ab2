// Messages between the owner of a book (a tab, or a process) and its followers, whose calls the owner runs.
// `epoch` is the number of an owner; each next owner has a higher one. Invariant: outcomes are values, and an error
// keeps all its fields.
import { type ErrorShape, toDaybookError } from '../../core/errors.ts'
import type { BookEvent } from '../../core/capability/event.ts'
import type { RoomEvent } from '../../core/capability/port/room-port.ts'
import type { Durability } from '../../core/record.ts'
import type { CarriedOptions } from '../call-options.ts'

/** A call, with all its options except `signal` and `deadlineMs`, which stay at the caller. */
export interface CallMessage extends CarriedOptions {
  /** Number of the call among the calls of its page. */
  readonly number: number
  readonly input: unknown
}

export type Reply<Value = unknown> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: ErrorShape }

/** Turns an error into an outcome. */
export function failedReply(error: unknown): Reply<never> {
  return { ok: false, error: toDaybookError(error).toJSON() }
}

/** From a follower to the owner. */
export type FollowerMessage =
  | {
      readonly type: 'call'
      readonly epoch: number
      /** Id of the verb of all `calls`. */
      readonly id: string
      readonly calls: readonly CallMessage[]
      /** All calls below this number are settled; forget their answers. */
      readonly settled: number
    }
  | { readonly type: 'abort'; readonly epoch: number; readonly number: number }
  /** Keep the answers of these calls after the tab is gone: the tab gave the calls up, and may repeat them. */
  | { readonly type: 'keep'; readonly epoch: number; readonly numbers: readonly number[] }
  | { readonly type: 'ping'; readonly epoch: number }
  /** The follower closes its book: it repeats no call. */
  | { readonly type: 'leave' }

/** From the owner to a follower. */
export type OwnerMessage =
  /** The owner serves the follower from now on. `locked`: see `isLockedByCall`. */
  | {
      readonly type: 'welcome'
      readonly epoch: number
      readonly durability: Durability
      readonly locked?: boolean
    }
  /** The owner does not serve the follower, or no longer: `error` says why. */
  | { readonly type: 'refuse'; readonly error: ErrorShape }
  /** `number`: of the call in its page. */
  | {
      readonly type: 'answer'
      readonly epoch: number
      readonly replies: readonly (readonly [number: number, reply: Reply])[]
    }
  | { readonly type: 'pong'; readonly epoch: number }
  /** Events of the meeting room. `whole`: the events start a new copy of the room. */
  | {
      readonly type: 'room'
      readonly epoch: number
      readonly whole: boolean
      readonly events: readonly RoomEvent[]
    }

/** An event of the book, for followers without a common channel. */
export interface EventMessage {
  readonly type: 'event'
  readonly epoch: number
  readonly event: BookEvent
}

// A page's call is named by page and number, so that the page can resend a call whose answer was lost.
// Invariant: numbers continue from worker to worker of a page, and every worker has its own name.

/**
 * The name of a worker of a page, or of a process. Its calls have numbers from `first`; calls of earlier workers have
 * lower numbers.
 */
export const tabOf = (page: string, first: number) => `${page}.${first}`

const pageOf = (tab: string) => tab.split('.')[0] ?? ''
/** The number from which the calls of this worker count. */
export const firstOf = (tab: string) => Number(tab.split('.')[1] ?? 0)

/** The requestId of a call that has none of its caller. The ids of a page sort by number. */
export const requestOf = (tab: string, number: number) => `${pageOf(tab)}:${String(number).padStart(12, '0')}`

/** A text that sorts after all requestIds of a page: `;` follows `:`. */
export const afterRequestsOf = (tab: string) => `${pageOf(tab)};`

/** True if the page itself created this requestId. */
export const isOwnRequest = (tab: string, requestId = '') => requestId.startsWith(`${pageOf(tab)}:`)
