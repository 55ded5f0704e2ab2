// What chapters get to see of the task queue: a reader, and inside a transaction a writer that checks what it adds.
import type { AnyCapability } from '../../core/capability/capability.ts'
import type { Caller } from '../../core/capability/caller.ts'
import { DaybookError } from '../../core/errors.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import { createIds } from '../../core/ids.ts'
import { checkJson } from '../../core/json/json.ts'
import type { Json } from '../../core/json/path.ts'
import type { Ports } from '../../core/ports.ts'
import type { Scope } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import type { Service } from '../../core/capability/service.ts'
import type { Recurring } from '../../core/capability/recurring.ts'
import type { TaskEntry, TaskReader, TaskWriter } from '../../core/capability/task.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { scheduleOf } from '../../store/schedules.ts'
import { declaredChanges, type RecurringParts, schedule, unschedule } from './recurring-access.ts'
import { createTaskRunner } from './task-runner.ts'
import type { CallOptions } from '../engine-shape.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { TaskQueue } from '../../store/task-queue.ts'

/** Largest input of a task, and most tasks that may wait. */
export const taskLimit = { inputBytes: 1_000_000, open: 10_000, delayMs: 366 * 86_400_000 } as const

/** The queue of a book and who runs it. */
export interface Tasks extends TaskAccess, Service {
  /** From now on what is due is called by `call`, as any other call is. */
  begin(call: TaskCall): void
}

export type TaskCall = (id: string, input: unknown, options: CallOptions) => Promise<unknown>

export interface TasksParts extends Pick<Ports, 'clock' | 'random' | 'scheduler'> {
  readonly store: Pick<BookStore, 'tasks' | 'schedules' | 'writes' | 'newer' | 'purge'>
  /** What the chapters have done again and again in this copy, and the scope of that. */
  readonly recurring: readonly Recurring[]
  readonly scope: Scope
  /** Every capability: what of it is secret stands in it. */
  readonly table: readonly AnyCapability[]
  readonly isWoken?: boolean | undefined
  readonly isShared?: boolean | undefined
  /** The capability of that id, or `unknown-capability`. */
  readonly find: (id: string) => AnyCapability
  /** What waits is stored in clear: without secrets, unless the owner wants them stored. */
  readonly cover: (input: Json) => Json
  readonly checkNames: RecurringParts['checkNames']
  readonly tell: (task: BookEvents['task']) => void
  /** Called when the queue itself could not be read or written. */
  readonly onFault: (error: unknown) => void
}

/** A task runs as the owner's, in the scope it was put off in. */
export function createTasks(parts: TasksParts): Tasks {
  const { store, clock, random, scheduler, isWoken, isShared, table, find, cover, tell, onFault } = parts
  const rounds: RecurringParts = {
    schedules: store.schedules,
    check: (id, input) => checkTask(find(id), input),
    checkNames: parts.checkNames,
    cover,
  }
  let call: TaskCall | undefined
  let closed = false
  const runner = createTaskRunner({
    queue: store.tasks,
    writes: store.writes,
    clock,
    random,
    scheduler,
    isWoken,
    isShared,
    tell,
    onFault,
    call: async ({ task: { id, capability, input, scope, attempts, max_attempts }, signal, touch }) =>
      call?.(capability, input ?? undefined, {
        signal,
        onProgress: touch,
        attempt: { number: attempts, isLast: attempts >= max_attempts },
        requestId: `task:${id}`,
        from: { tab: 'task', scope, owner: true },
      }),
  })
  // Nothing is run of a book that can't be written.
  const wake = () => {
    if (call && !store.newer) runner.wake()
  }
  /** A queue that can't be read keeps nobody from the rest of the book. */
  const guarded = (work: () => unknown) => {
    try {
      work()
    } catch (error) {
      onFault(error)
    }
  }
  /** Kinds that tasks wait for, and those of which there was a record. */
  const awaited = new Set(parts.recurring.flatMap(({ kind }) => kind ?? []))
  const met = new Set<string>()
  /** What the chapters want now, and earlier versions of them wanted otherwise. */
  const setUp = () => {
    if (store.newer) return
    const change = declaredChanges({ ...rounds, met }, parts.recurring, parts.scope, formatTime(clock.now()))
    if (change) store.writes.write(change).then(wake, (error: unknown) => closed || onFault(error))
  }
  /** Older versions put off what is secret: it goes, with what came of it, before anything is run. */
  const clearSecrets = ({ tasks, writes, purge }: TasksParts['store']) => {
    const careful = table.filter(({ isQueued, secrets }) => isQueued === false || secrets !== undefined)
    const secret = tasks.of(careful.map(({ id }) => id)).filter(({ capability: id, input }) => {
      const capability = careful.find((one) => one.id === id)
      return capability !== undefined && secretOf(capability, input) !== undefined
    })
    if (secret.length === 0) return
    const drop = () => {
      for (const { id } of secret) tasks.drop(id)
    }
    writes
      .write(drop)
      .then(() => purge.scrub())
      .catch(onFault)
  }
  return {
    name: 'tasks',
    ...createTaskAccess({
      queue: store.tasks,
      clock,
      random,
      wake: runner.wake,
      cancel: runner.cancel,
      rounds,
      declared: parts.recurring,
    }),
    wake,
    changed(_id, kind) {
      if (!awaited.delete(kind)) return
      met.add(kind)
      guarded(() => closed || setUp())
    },
    begin(path) {
      call = path
      guarded(() => store.newer || clearSecrets(store))
      scheduler.soon(() => {
        guarded(() => closed || setUp())
        wake()
      })
    },
    close() {
      closed = true
      runner.close()
    },
  }
}

/** Throws unless `capability` can be called with `input` and may be put off. */
function checkTask(capability: AnyCapability, input: unknown): void {
  const { id } = capability
  if (capability.effect === 'read' || id.startsWith('task:')) {
    throw new DaybookError('invalid-input', `\`${id}\` is not put off: call it.`, {
      details: { path: 'capability' },
    })
  }
  const secret = secretOf(capability, input)
  if (secret === undefined) {
    checkJson(input)
    parseWith(capability.input, input)
    return
  }
  const why =
    'What waits in the queue is stored, with what comes of it, and this is not for storing. Call it.'
  throw new DaybookError('invalid-input', `\`${secret}\`: ${why}`, { details: { path: secret } })
}

/** Where a call that is put off would store what is secret; undefined where it would not. */
function secretOf({ isQueued, secrets = [] }: AnyCapability, input: unknown): string | undefined {
  const given = typeof input === 'object' && input !== null ? input : {}
  const field = secrets.find((name) => name in given)
  if (field !== undefined) return `input.${field}`
  return isQueued === false ? 'capability' : undefined
}

export interface TaskAccess {
  readonly reader: TaskReader
  /** A writer for one transaction; `after` runs once it has committed, if it changed anything. */
  writer(now: string, at: { caller: Caller; scope: Scope }): { readonly tasks: TaskWriter; after(): void }
}

interface TaskAccessParts extends Pick<Ports, 'clock' | 'random'> {
  readonly queue: TaskQueue
  /** Also says what may be put off, and how it may lie in the book. */
  readonly rounds: RecurringParts
  readonly declared: readonly Recurring[]
  wake(): void
  cancel(id: string): void
}

function createTaskAccess(parts: TaskAccessParts): TaskAccess {
  const { queue, rounds, declared, wake, cancel } = parts
  const { check, cover, schedules } = rounds
  const ids = createIds(parts)
  const shown = (task: TaskEntry): TaskEntry => {
    const recurring = scheduleOf(task.id)
    return recurring === undefined ? task : { ...task, recurring }
  }
  const reader: TaskReader = {
    get(id) {
      const task = queue.get(id)
      return task && shown(task)
    },
    list: (query) => queue.list(query).map(shown),
    recurring: schedules.get,
    schedules: schedules.list,
  }
  return {
    reader,
    writer(now, { caller, scope }) {
      // A task runs as the owner's: nobody else may hand one over.
      const checkOwner = () => {
        if (caller.role !== 'owner') throw new DaybookError('forbidden')
      }
      let isChanged = false
      const dropped: string[] = []
      const tasks: TaskWriter = {
        ...reader,
        add({ capability, input, maxAttempts = 5, delayMs = 0 }) {
          checkOwner()
          check(capability, input)
          if (utf8Length(JSON.stringify(input ?? null)) > taskLimit.inputBytes) {
            throw new DaybookError('too-large', 'The input is too large for a task.', {
              details: { path: 'input', limitBytes: taskLimit.inputBytes },
            })
          }
          if (queue.open() >= taskLimit.open) {
            throw new DaybookError('rate-limited', `${taskLimit.open} tasks wait already.`, {
              details: { retryAfterMs: 60_000 },
            })
          }
          isChanged = true
          const id = ids.next()
          const dueAt = formatTime((parseTime(now) ?? 0) + Math.min(delayMs, taskLimit.delayMs))
          queue.add({ id, capability, input: cover((input ?? null) as Json), scope, maxAttempts, dueAt }, now)
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
          return queue.drop(id)
        },
        schedule(request) {
          checkOwner()
          isChanged = true
          return schedule(rounds, request, scope, now)
        },
        unschedule(id) {
          checkOwner()
          const ended = unschedule(rounds, declared, id)
          const round = ended?.last_task === undefined ? undefined : queue.get(ended.last_task)
          if (round?.state === 'waiting' || round?.state === 'running') tasks.drop(round.id)
          return ended !== undefined
        },
      }
      return {
        tasks,
        after() {
          for (const id of dropped) cancel(id)
          if (isChanged) wake()
        },
      }
    },
  }
}
