// A task that comes round: a call of a capability that is made again and again, as long as its copy of the book is at work.
import type { Json } from '../json/path.ts'
import type { Scope } from '../record.ts'

/** What a chapter has done again and again. */
export interface Recurring {
  /** Stable, the same in every version: letters, digits, `.`, `_`, `-`. The owner changes and cancels it by this name. */
  readonly id: string
  /** What it calls must be safe to do twice: ids of what it writes follow from what they are about. */
  readonly capability: string
  readonly input?: Json
  /** `6h`, `1d`: see core/calendar/duration.ts. */
  readonly every: string
  readonly maxAttempts?: number
  /** Begins with the first record of this kind that is written here or arrives: a book without any is not looked after. */
  readonly kind?: string
  /** Where it is run: by the owner's engine, on a device (default), or by the mirror, for what must go on with no device. */
  readonly at?: 'device' | 'mirror'
}

/** A task that comes round, as it stands in one copy of a book. Times are canonical UTC text. */
export interface Recurrence {
  readonly id: string
  readonly capability: string
  readonly input: Json
  /** Default scope of what the calls store. */
  readonly scope: Scope
  readonly every_ms: number
  readonly max_attempts: number
  /** Who wants it: a chapter of this Daybook, or the owner, who may also have changed what a chapter wants. */
  readonly by: 'chapter' | 'owner'
  /** `cancelled`: one of a chapter's that the owner does not want; it stays so. */
  readonly state: 'active' | 'cancelled'
  /** When the next round is due. Rounds keep to the clock of the first, however late one began. */
  readonly next_at: string
  /** When the last round was begun, and the task that it is. */
  readonly last_at?: string
  readonly last_task?: string
  /** How many were begun. */
  readonly rounds: number
  readonly created_at: string
}

/** What the owner asks for; what is left out of a change stays as it is. */
export interface RecurringRequest {
  readonly id: string
  readonly capability?: string | undefined
  readonly input?: unknown
  readonly everyMs?: number | undefined
  readonly maxAttempts?: number | undefined
  /** When the first round is due; default one period from now. */
  readonly firstAt?: string | undefined
}
