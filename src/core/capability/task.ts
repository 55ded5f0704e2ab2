// Tasks: calls that the book stores until they are done, whatever interrupts them.
import type { Json } from '../json/path.ts'
import type { Scope } from '../record.ts'

/** `dead`: it failed too often, or for a reason that no retry solves; a person decides about it. */
export type TaskState = 'waiting' | 'running' | 'done' | 'dead'

/** A stored call. Times are canonical UTC text. */
export interface TaskEntry {
  readonly id: string
  readonly capability: string
  readonly input: Json
  /** Default scope of records that the call stores: the scope of its creator. */
  readonly scope: Scope
  readonly state: TaskState
  /** Attempts started so far, including those that a closed tab or a killed process interrupted. */
  readonly attempts: number
  readonly maxAttempts: number
  readonly createdAt: string
  readonly updatedAt: string
  /** Earliest time of the next attempt, or time of the last one. */
  readonly dueAt: string
  /** While running: time at which it counts as hung, unless it reports progress. */
  readonly leaseUntil?: string
  /** Result of the capability; absent before the end, and if too large. */
  readonly result?: Json
  /** Id of the recurring task that created it. */
  readonly recurring?: string
  /** Error of the last attempt. */
  readonly error?: { readonly code: string; readonly message: string }
}

export interface TaskRequest {
  readonly capability: string
  readonly input?: unknown
  /** Most attempts: 1 to 20, default 5. */
  readonly maxAttempts?: number | undefined
  /** Milliseconds before the first attempt. */
  readonly delayMs?: number | undefined
}

export interface TaskList {
  readonly state?: TaskState | undefined
  /** 1 to 1000. */
  readonly limit: number
}

/** Reads tasks. */
export interface TaskReader {
  get(id: string): TaskEntry | undefined
  /** Newest first. */
  list(query: TaskList): TaskEntry[]
  /** One recurring task, and all of them ordered by id. */
  recurring(id: string): Recurrence | undefined
  schedules(): Recurrence[]
}

/** Changes tasks inside the transaction of a write; the changes commit or roll back with it. */
export interface TaskWriter extends TaskReader {
  /** Checks capability and input now, runs the task soon; returns its id. */
  add(request: TaskRequest): string
  /** Makes a dead or waiting task due at once with all attempts; false if it is running, done or gone. */
  retry(id: string): boolean
  /** Removes a task and cancels it if it runs; false if there is no such task. */
  drop(id: string): boolean
  /** Creates or changes a recurring task. */
  schedule(request: RecurringRequest): Recurrence
  /** Removes a recurring task and its waiting or running round; false if there is no such task. */
  unschedule(id: string): boolean
}

/** A recurring task of a chapter: a call repeated while this copy of the book is open. */
export interface Recurring {
  /** Stable across versions: letters, digits, `.`, `_`, `-`. The owner changes and cancels the task by this id. */
  readonly id: string
  /** It must be idempotent: derive the ids of its records from their subject. */
  readonly capability: string
  readonly input?: Json
  /** A duration such as `6h` or `1d`: see core/time.ts. */
  readonly every: string
  readonly maxAttempts?: number
  /** Starts with the first record of this kind that is written or arrives, so a book without one does no work. */
  readonly kind?: string
  /**
   * The host that runs it: the owner's engine on a device (default), or the mirror, for work that must run without a
   * device.
   */
  readonly at?: 'device' | 'mirror'
}

/** A recurring task in one copy of a book. Times are canonical UTC text. */
export interface Recurrence {
  readonly id: string
  readonly capability: string
  readonly input: Json
  /** Default scope of records that the calls store. */
  readonly scope: Scope
  readonly everyMs: number
  readonly maxAttempts: number
  /** Its creator: a chapter, or the owner, who may also have changed a chapter's task. */
  readonly by: 'chapter' | 'owner'
  /** `cancelled`: the owner cancelled a chapter's task; it stays cancelled. */
  readonly state: 'active' | 'cancelled'
  /** Time of the next round. Rounds keep the rhythm of the first one, however late one starts. */
  readonly nextAt: string
  /** Start of the last round, and its task. */
  readonly lastAt?: string
  readonly lastTask?: string
  /** Rounds started. */
  readonly rounds: number
  readonly createdAt: string
}

/** A request of the owner. Absent fields of an existing task stay unchanged. */
export interface RecurringRequest {
  readonly id: string
  readonly capability?: string | undefined
  readonly input?: unknown
  readonly everyMs?: number | undefined
  readonly maxAttempts?: number | undefined
  /** Time of the first round; default one period from now. */
  readonly firstAt?: string | undefined
}

/** Progress of long work, in its own units. */
export interface Progress {
  readonly done: number
  readonly total: number
  readonly subject: string
}
