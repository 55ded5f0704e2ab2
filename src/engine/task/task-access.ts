// Access of capabilities to the task queue: a reader, and inside a transaction a writer that checks each new task.
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { Caller } from '../../core/capability/caller.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import type { Recurring, TaskEntry, TaskReader, TaskRequest, TaskWriter } from '../../core/capability/task.ts'
import type { Service } from '../../core/capability/chapter.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import { createIds, type Ids } from '../../core/ids.ts'
import { checkJson } from '../../core/json/json.ts'
import type { Json } from '../../core/json/path.ts'
import type { Ports } from '../../core/ports.ts'
import type { Scope } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { BookStore } from '../../store/book-store.ts'
import { scheduleOf } from '../../store/schedules.ts'
import type { CallOptions } from '../engine-shape.ts'
import { declaredChanges, type RecurringParts, schedule, unschedule } from './recurring-access.ts'
import { TaskRunner, type TaskAttempt } from './task-runner.ts'
import type { VerbFacts, VerbTable } from '../verb-table.ts'

/** Largest input of a task in bytes, most open tasks, longest delay of a task. */
export const taskLimit = { inputBytes: 1_000_000, open: 10_000, delayMs: 366 * 86_400_000 } as const

export type TaskCall = (id: string, input: unknown, options: CallOptions) => Promise<unknown>

export interface TasksDeps extends Pick<Ports, 'clock' | 'random' | 'scheduler'> {
  readonly store: Pick<BookStore, 'tasks' | 'schedules' | 'writes' | 'newer' | 'purge'>
  /** The recurring tasks that the chapters and the host declare for this copy, and their scope. */
  readonly recurring: readonly Recurring[]
  readonly scope: Scope
  readonly verbs: Pick<VerbTable, 'facts' | 'find'>
  /** True: the host calls `wake` when a later task is due. */
  readonly hostWakesWhenDue?: boolean | undefined
  /** True: other engines may work on the same queue. */
  readonly isShared?: boolean | undefined
  /** Masks secrets in an input, which is stored in clear. With the option `warn` or `off`, nothing is masked. */
  readonly cover: (input: Json) => Json
  readonly checkNames: RecurringParts['checkNames']
  readonly emit: (task: BookEvents['task']) => void
  /** Called when the queue could not be read or written. */
  readonly onFault: (error: unknown) => void
}

/** The writer of one transaction. Call `after` once the transaction has committed. */
interface QueuedWrites {
  readonly tasks: TaskWriter
  after(): void
}

/** The queue of a book, with its runner. A task runs as the owner, in the scope of the call that added the task. */
export class Tasks implements Service {
  readonly name = 'tasks'
  readonly reader: TaskReader
  readonly #parts: TasksDeps
  readonly #recurring: RecurringParts
  readonly #runner: TaskRunner
  readonly #ids: Ids
  /** Kinds that recurring tasks wait for; `#writtenKinds` has the kinds of which a record was written. */
  readonly #awaited: Set<string>
  readonly #writtenKinds = new Set<string>()
  #call: TaskCall | undefined
  #closed = false

  constructor(parts: TasksDeps) {
    const { store, verbs, cover, checkNames } = parts
    this.#parts = parts
    this.#ids = createIds(parts)
    this.#awaited = new Set(parts.recurring.flatMap(({ kind }) => kind ?? []))
    this.#recurring = {
      schedules: store.schedules,
      check: (id, input) => checkTask(verbs.find(id), input),
      checkNames,
      cover,
    }
    this.#runner = new TaskRunner({
      ...parts,
      queue: store.tasks,
      writes: store.writes,
      call: (attempt) => this.#run(attempt),
    })
    this.reader = {
      get(id) {
        const task = store.tasks.get(id)
        return task && withSchedule(task)
      },
      list: (query) => store.tasks.list(query).map(withSchedule),
      recurring: (id) => store.schedules.get(id),
      schedules: () => store.schedules.list(),
    }
  }

  /**
   * Starts to run due tasks, each by `call`. Call it once, when the engine is ready; before it, no task runs.
   */
  begin(call: TaskCall): void {
    const { store, scheduler } = this.#parts
    this.#call = call
    this.#guarded(() => store.newer || this.#clearSecrets())
    scheduler.soon(() => {
      this.#guarded(() => this.#closed || this.#setUp())
      this.wake()
    })
  }

  /** Corrects the times that a clock set that was ahead. Call it inside a transaction. */
  followClock(now: string): void {
    this.#parts.store.tasks.clockCorrection(now)?.()
    this.#parts.scheduler.soon(() => this.wake())
  }

  /** Looks for due tasks. A read-only book runs no task. */
  wake(): void {
    if (this.#call && !this.#parts.store.newer) this.#runner.wake()
  }

  changed(_id: string, kind: string): void {
    if (!this.#awaited.delete(kind)) return
    this.#writtenKinds.add(kind)
    this.#guarded(() => this.#closed || this.#setUp())
  }

  close(): void {
    this.#closed = true
    this.#runner.close()
  }

  /** `at`: the caller that the checks are for, and the scope of the tasks that it adds. */
  writer(now: string, at: { readonly caller: Caller; readonly scope: Scope }): QueuedWrites {
    // A task runs as the owner: a guest may not change the queue.
    const checkOwner = () => {
      if (at.caller.role !== 'owner') throw new DaybookError('forbidden')
    }
    const queue = this.#parts.store.tasks
    let isChanged = false
    const dropped: string[] = []
    const tasks: TaskWriter = {
      ...this.reader,
      add: (request) => {
        checkOwner()
        const id = this.#add(request, at.scope, now)
        isChanged = true
        return id
      },
      retry(id) {
        checkOwner()
        isChanged = true
        return queue.retry(id, now)
      },
      drop(id) {
        checkOwner()
        isChanged = true
        dropped.push(id)
        return queue.remove(id)
      },
      schedule: (request) => {
        checkOwner()
        isChanged = true
        return schedule(this.#recurring, request, at.scope, now)
      },
      unschedule: (id) => {
        checkOwner()
        const ended = unschedule(this.#recurring, this.#parts.recurring, id)
        const round = ended?.lastTask === undefined ? undefined : queue.get(ended.lastTask)
        if (round?.state === 'waiting' || round?.state === 'running') tasks.drop(round.id)
        return ended !== undefined
      },
    }
    const after = () => {
      for (const id of dropped) this.#runner.cancel(id)
      if (isChanged) this.#runner.wake()
    }
    return { tasks, after }
  }

  #add(request: TaskRequest, scope: Scope, now: string): string {
    const { capability, input, maxAttempts = 5, delayMs = 0 } = request
    const queue = this.#parts.store.tasks
    this.#recurring.check(capability, input)
    if (utf8Length(JSON.stringify(input ?? null)) > taskLimit.inputBytes) {
      throw new DaybookError('too-large', 'The input is too large for a task.', {
        details: { path: 'input', limitBytes: taskLimit.inputBytes },
      })
    }
    if (queue.openCount() >= taskLimit.open) {
      throw new DaybookError('rate-limited', `${taskLimit.open} tasks wait already.`, {
        details: { retryAfterMs: 60_000 },
      })
    }
    const id = this.#ids.next()
    const dueAt = formatTime((parseTime(now) ?? 0) + Math.min(delayMs, taskLimit.delayMs))
    const covered = this.#parts.cover((input ?? null) as Json)
    queue.add({ id, capability, input: covered, scope, maxAttempts, dueAt }, now)
    return id
  }

  async #run({ task, signal, heartbeat }: TaskAttempt): Promise<unknown> {
    const { id, capability, input, scope, attempts, maxAttempts } = task
    return this.#call?.(capability, input ?? undefined, {
      signal,
      onProgress: heartbeat,
      attempt: { number: attempts, isLast: attempts >= maxAttempts },
      requestId: `task:${id}`,
      from: { tab: 'task', scope, owner: true },
    })
  }

  /** Checks a chapter's own task only if its verb is loaded: the first round loads the verb. */
  readonly #checkDeclared: RecurringParts['check'] = (id, input) => {
    try {
      this.#recurring.check(id, input)
    } catch (error) {
      if (!isDaybookError(error, 'part-unavailable')) throw error
    }
  }

  /** Runs `work`, and reports its error: a broken queue does not block the rest of the book. */
  #guarded(work: () => unknown): void {
    try {
      work()
    } catch (error) {
      this.#parts.onFault(error)
    }
  }

  /**
   * Stores the recurring tasks that the chapters declare now, in place of the tasks that earlier versions declared, and
   * corrects the times that a clock set that was ahead.
   */
  #setUp(): void {
    const { store, clock, recurring, scope, onFault } = this.#parts
    if (store.newer) return
    const found = { ...this.#recurring, check: this.#checkDeclared, writtenKinds: this.#writtenKinds }
    const now = formatTime(clock.now())
    const changes = [declaredChanges(found, recurring, scope, now), store.tasks.clockCorrection(now)]
    const change = () => {
      for (const one of changes) one?.()
    }
    const woken = () => this.wake()
    if (changes.some(Boolean))
      store.writes.write(change).then(woken, (error: unknown) => this.#closed || onFault(error))
  }

  /** Drops tasks with secret inputs, and their results, before any task runs: older versions queued such tasks. */
  #clearSecrets(): void {
    const { store, verbs, onFault } = this.#parts
    const { tasks, writes, purge } = store
    const careful = verbs.facts.filter(({ isQueued, secrets }) => isQueued === false || secrets !== undefined)
    const secret = tasks.listByCapability(careful.map(({ id }) => id)).filter(({ capability: id, input }) => {
      const capability = careful.find((one) => one.id === id)
      return capability !== undefined && secretOf(capability, input) !== undefined
    })
    if (secret.length === 0) return
    const drop = () => {
      for (const { id } of secret) tasks.remove(id)
    }
    writes
      .write(drop)
      .then(() => purge.scrub())
      .catch(onFault)
  }
}

function withSchedule(task: TaskEntry): TaskEntry {
  const recurring = scheduleOf(task.id)
  return recurring === undefined ? task : { ...task, recurring }
}

/** Throws `invalid-input` unless `capability` can be called with `input` and may be queued. */
function checkTask(capability: AnyCapability, input: unknown): void {
  const { id } = capability
  if (capability.effect === 'read' || id.startsWith('task:')) {
    throw new DaybookError('invalid-input', `\`${id}\` can't be queued: call it.`, {
      details: { path: 'capability' },
    })
  }
  const secret = secretOf(capability, input)
  if (secret === undefined) {
    checkJson(input)
    parseWith(capability.input, input, 'invalid-input', 'input')
    return
  }
  const message =
    secret === 'capability'
      ? `\`${id}\` can't be queued: call it.`
      : `\`${secret}\` is secret, and the queue would store it: call \`${id}\`.`
  throw new DaybookError('invalid-input', message, { details: { path: secret } })
}

/** The path at which a queued call would store a secret; undefined if it would not. */
function secretOf({ isQueued, secrets = [] }: VerbFacts, input: unknown): string | undefined {
  const fields = typeof input === 'object' && input !== null ? input : {}
  const field = secrets.find((name) => name in fields)
  if (field !== undefined) return `input.${field}`
  return isQueued === false ? 'capability' : undefined
}
