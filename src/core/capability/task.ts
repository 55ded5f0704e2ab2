// A task: a call of a capability that is kept in the book until it has been made, whatever ends in the middle of it.
import type { Json } from '../json/path.ts'
import type { Recurrence, RecurringRequest } from './recurring.ts'
import type { Scope } from '../record.ts'

/** `dead`: it failed as often as it may, or in a way that no repetition mends; a person decides what becomes of it. */
export type TaskState = 'waiting' | 'running' | 'done' | 'dead'

/** What is to be called, with what. Times are canonical UTC text. */
export interface TaskEntry {
  readonly id: string
  readonly capability: string
  readonly input: Json
  /** Default scope of what the call stores: that of whoever put it off. */
  readonly scope: Scope
  readonly state: TaskState
  /** Tries begun so far; one that a closed tab or a killed process ended counts too. */
  readonly attempts: number
  readonly max_attempts: number
  readonly created_at: string
  readonly updated_at: string
  /** When it runs, or ran, next: not before this. */
  readonly due_at: string
  /** While it runs: when it counts as hung unless it shows progress. */
  readonly lease_until?: string
  /** What the capability answered; absent while it has not, and when that is too large to keep. */
  readonly result?: Json
  /** The task that comes round, of which it is a round. */
  readonly recurring?: string
  /** Why the last try failed. */
  readonly error?: { readonly code: string; readonly message: string }
}

export interface TaskRequest {
  readonly capability: string
  readonly input?: unknown
  /** How often it is tried before it is dead: 1 to 20, default 5. */
  readonly maxAttempts?: number | undefined
  /** Milliseconds to wait before the first try. */
  readonly delayMs?: number | undefined
}

export interface TaskList {
  readonly state?: TaskState | undefined
  /** 1 to 1000. */
  readonly limit: number
}

/** Seeing tasks. */
export interface TaskReader {
  get(id: string): TaskEntry | undefined
  /** Newest first. */
  list(query: TaskList): TaskEntry[]
  /** A task that comes round, and all of them by their ids. */
  recurring(id: string): Recurrence | undefined
  schedules(): Recurrence[]
}

/** Changing tasks, inside the transaction of a write: the task is there exactly if the write is. */
export interface TaskWriter extends TaskReader {
  /** Checks capability and input now, runs it soon; answers the id. */
  add(request: TaskRequest): string
  /** Makes a dead or waiting task due at once, with all its tries; false when it is running, done or gone. */
  retry(id: string): boolean
  /** Takes a task out, cancelling it if it runs; false when there is none. */
  drop(id: string): boolean
  /** Sets up or changes a task that comes round. */
  schedule(request: RecurringRequest): Recurrence
  /** Ends one, with a round of it that waits or runs; false when there is none. */
  unschedule(id: string): boolean
}
