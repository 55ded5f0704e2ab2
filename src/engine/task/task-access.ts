// What the rooms get to see of the task queue: a reader, and inside a transaction a writer that checks what it adds.
import type { AbortSignalLike } from '../../core/abort.ts'
import type { AnyCapability, Caller } from '../../core/capability/capability.ts'
import { DaybookError } from '../../core/errors.ts'
import type { BookEvents } from '../../core/capability/event.ts'
import { createIds } from '../../core/ids.ts'
import { checkJson } from '../../core/json/json.ts'
import type { Ports } from '../../core/ports.ts'
import type { Scope } from '../../core/record.ts'
import { parseWith } from '../../core/schema.ts'
import type { TaskReader, TaskWriter } from '../../core/capability/task.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import { utf8Length } from '../../core/text/utf8.ts'
import { createTaskRunner } from './task-runner.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { TaskQueue } from '../../store/task-queue.ts'

/** Largest input of a task, and most tasks that may wait. */
export const taskLimit = { inputBytes: 1_000_000, open: 10_000, delayMs: 366 * 86_400_000 } as const

/** The queue of a book and who runs it. */
export interface Tasks extends TaskAccess {
  /** Looks for tasks that have become due. */
  wake(): void
  close(): void
}

/** How a task is called: as any call, and with who is to be told that it goes on. */
interface TaskCallOptions {
  readonly requestId: string
  readonly signal: AbortSignalLike
  readonly seat: { readonly tab: string; readonly scope: Scope; readonly owner: boolean }
  readonly attempt: { readonly number: number; readonly isLast: boolean }
  onProgress(): void
}

export interface TasksParts {
  readonly store: Pick<BookStore, 'tasks' | 'writes' | 'newer'>
  readonly ports: Ports
  readonly isWoken?: boolean | undefined
  readonly isShared?: boolean | undefined
  /** The capability of that id, or `unknown-capability`. */
  named(id: string): AnyCapability
  call(id: string, input: unknown, options: TaskCallOptions): Promise<unknown>
  tell(task: BookEvents['task']): void
}

/** Begins to run what waits in the queue. A task runs as the owner's, in the scope it was put off in. */
export function createTasks({ store, ports, isWoken, isShared, named, call, tell }: TasksParts): Tasks {
  const runner = createTaskRunner({
    queue: store.tasks,
    writes: store.writes,
    isWoken,
    isShared,
    tell,
    ...ports,
    call: ({ task: { id, capability, input, scope, attempts, max_attempts }, signal, touch }) =>
      call(capability, input ?? undefined, {
        signal,
        onProgress: touch,
        attempt: {
          number: attempts,
          isLast: attempts >= max_attempts,
        },
        requestId: `task:${id}`,
        seat: {
          tab: 'task',
          scope,
          owner: true,
        },
      }),
  })
  const access = createTaskAccess({
    queue: store.tasks,
    ports,
    wake: runner.wake,
    cancel: runner.cancel,
    check(id, input) {
      const capability = named(id)
      if (capability.effect === 'read' || id.startsWith('task:')) {
        throw new DaybookError('invalid-input', `\`${id}\` is not put off: call it.`, {
          details: { path: 'capability' },
        })
      }
      checkJson(input)
      parseWith(capability.input, input)
      if (typeof input === 'object' && input !== null && 'passphrase' in input) {
        const message =
          '`input.passphrase`: What waits in the queue is stored, and so would be the passphrase.'
        throw new DaybookError('invalid-input', `${message} Call it.`, {
          details: { path: 'input.passphrase' },
        })
      }
    },
  })
  // Nothing is run of a book that can't be written.
  const wake = store.newer ? () => undefined : runner.wake
  ports.scheduler.soon(wake)
  return { ...access, wake, close: runner.close }
}

interface TaskAccess {
  readonly reader: TaskReader
  /** A writer for one transaction; `after` runs once it has committed, if it changed anything. */
  writer(now: string, at: { caller: Caller; scope: Scope }): { readonly tasks: TaskWriter; after(): void }
}

interface TaskAccessParts {
  readonly queue: TaskQueue
  readonly ports: Pick<Ports, 'clock' | 'random'>
  /** Throws unless `capability` can be called with `input` and may be put off. */
  check(capability: string, input: unknown): void
  wake(): void
  cancel(id: string): void
}

function createTaskAccess({ queue, ports, check, wake, cancel }: TaskAccessParts): TaskAccess {
  const ids = createIds(ports)
  const reader: TaskReader = { get: queue.get, list: queue.list }
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
          queue.add({ id, capability, input, scope, maxAttempts, dueAt }, now)
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
