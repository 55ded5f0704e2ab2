// Tasks: calls that the book stores and repeats after an interruption until they are done.
import type { Json } from '../json/path.ts'
import type { Scope } from '../record.ts'

/** `dead`: it failed too often, or for a reason that no retry solves. A person decides about it. */
export type TaskState = 'waiting' | 'running' | 'done' | 'dead'

/** A stored call. Times are canonical UTC text. */
export interface TaskEntry {
  readonly id: string
  readonly capability: string
  readonly input: Json
  /** Default scope of records that the call stores: the scope of the task's creator. */
  readonly scope: Scope
  readonly state: TaskState
  /** Attempts started so far, interrupted ones included. An attempt whose verb could not be loaded does not count. */
  readonly attempts: number
  readonly maxAttempts: number
  readonly createdAt: string
  readonly updatedAt: string
  /** Earliest time of the next attempt. After the last attempt: its time. */
  readonly dueAt: string
  /** While running: time at which it counts as hung. Progress extends it. */
  readonly leaseUntil?: string
  /** Result of the capability. Absent before the end, or if it is too large. */
  readonly result?: Json
  /** Id of the recurring task that created it. */
  readonly recurring?: string
  /** Error of the last failed attempt. */
  readonly error?: { readonly code: string; readonly message: string }
}

export interface TaskRequest {
  readonly capability: string
  readonly input?: unknown
  /** Maximum of attempts: 1 to 20, default 5. */
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
  /** Returns one recurring task. `schedules` returns all, ordered by id. */
  recurring(id: string): Recurrence | undefined
  schedules(): Recurrence[]
}

/** Changes tasks in the transaction of a write. The changes commit or roll back with it. */
export interface TaskWriter extends TaskReader {
  /** Checks capability and input now, and runs the task soon. Returns its id. */
  add(request: TaskRequest): string
  /** Makes a dead or waiting task due now, with all attempts. False if it is running, done or gone. */
  retry(id: string): boolean
  /** Removes a task; a running one is cancelled. False if there is no such task. */
  drop(id: string): boolean
  /** Creates or changes a recurring task. */
  schedule(request: RecurringRequest): Recurrence
  /** Removes a recurring task and its waiting or running task. False if there is no such recurring task. */
  unschedule(id: string): boolean
}

/** A recurring task of a chapter: a call repeated while this copy of the book is open. */
export interface Recurring {
  /** Stable across versions: letters, digits, `.`, `_`, `-`. The owner changes or cancels the task by this id. */
  readonly id: string
  /** The capability must be idempotent: derive ids of records from their subject. */
  readonly capability: string
  readonly input?: Json
  /** A duration such as `6h` or `1d`: see core/time.ts. */
  readonly every: string
  readonly maxAttempts?: number
  /** Starts with the first record of this kind in the book. Until then the task does no work. */
  readonly kind?: string
  /** True: a verb of the chapter sets the task up, once; the opening of the book does not. */
  readonly byVerb?: boolean
  /** `device` (default): runs in the owner's engine. `mirror`: for work that must run without a device. */
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
  /** Creator of the task; also `owner` after the owner changed a chapter's task. */
  readonly by: 'chapter' | 'owner'
  /** `cancelled`: the owner cancelled a chapter's task. */
  readonly state: 'active' | 'cancelled'
  /** Time of the next round. A late start of one round does not delay the following ones. */
  readonly nextAt: string
  /** Start of the last round, and id of its task. */
  readonly lastAt?: string
  readonly lastTask?: string
  /** Number of rounds started. */
  readonly rounds: number
  readonly createdAt: string
}

/** The owner's settings of a recurring task. For an existing task, absent fields stay unchanged. */
export interface RecurringRequest {
  readonly id: string
  readonly capability?: string | undefined
  readonly input?: unknown
  readonly everyMs?: number | undefined
  readonly maxAttempts?: number | undefined
  /** Time of the first round. Default: one period from now. */
  readonly firstAt?: string | undefined
}

/** Progress of long work: `done` of `total`, counted in units of `subject`. */
export interface Progress {
  readonly done: number
  readonly total: number
  readonly subject: string
}
