// What is said on the line between whoever holds a book and one that has its calls run there: a tab, or a process.
// Invariant: outcomes are values, and an error keeps all its fields.
import { type ErrorShape, toDaybookError } from '../../core/errors.ts'
import type { BookEvent } from '../../core/capability/event.ts'
import type { RoomEvent } from '../../core/capability/port/room-port.ts'
import type { Durability } from '../../core/record.ts'
import type { CarriedOptions } from '../call-options.ts'

export interface CallMessage extends CarriedOptions {
  /** Names the call at its caller's. */
  readonly number: number
  readonly input: unknown
}

export type Reply<Value = unknown> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly error: ErrorShape }

/** An error as an outcome. */
export function failed(error: unknown): Reply<never> {
  return { ok: false, error: toDaybookError(error).toJSON() }
}

/** To the owner, from one that follows it. */
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

/** To one that follows, from an owner. */
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

/** An event of the book, where followers have no channel in common. */
export interface EventMessage {
  readonly type: 'event'
  readonly epoch: number
  readonly event: BookEvent
}
