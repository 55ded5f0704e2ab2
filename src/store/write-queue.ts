// Group commit: writes that are waiting share one transaction.
// Invariant: a write's promise resolves only after the commit that holds it is kept; one that throws undoes only itself.
import { DaybookError, toDaybookError } from '../core/errors.ts'
import type { Scheduler, SqlDatabase, Truth } from '../core/ports.ts'

export interface WriteQueue {
  /** Runs `work` in a transaction soon. It must be safe to run again from the start after a rollback. */
  write<Result>(work: () => Result): Promise<Result>
  /** Runs `work` and commits the writes it makes right after it, instead of soon: no more are coming with them. */
  together<Result>(work: () => Result): Result
  close(): void
}

interface Waiting {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: DaybookError) => void
}

/** Bounds how long one transaction holds the engine. */
const writesPerCommit = 1024

export interface WriteQueueParts {
  readonly truth?: Truth | undefined
  /** Told inside each transaction when it begins and when all is done in it, and then when it was committed. */
  readonly during?: readonly { begin(): void; end?(): void; committed(): void }[]
}

/**
 * `onCommit` runs after each transaction that committed, before its promises resolve. With a `truth` transactions are
 * committed there, one at a time; what comes meanwhile waits and shares the next.
 */
export function createWriteQueue(
  db: SqlDatabase,
  scheduler: Scheduler,
  onCommit: () => void,
  { truth, during = [] }: WriteQueueParts = {},
): WriteQueue {
  /** The works of a group, inside their transaction. */
  const runAll = (group: readonly Waiting[]) => {
    for (const one of during) one.begin()
    const results = group.map(({ work }) => work())
    for (const one of during) one.end?.()
    return results
  }

  let waiting: Waiting[] = []
  let scheduled = false
  let held = false
  let closed = false

  let committing = false

  const settle = (group: readonly Waiting[], results: readonly unknown[]) => {
    for (const one of during) one.committed()
    onCommit()
    const resolve = () => group.forEach((one, i) => one.resolve(results[i] as never))
    const kept = db.settled?.('write')
    if (!kept) return resolve()
    kept.then(resolve, (error: unknown) => group.forEach(({ reject }) => reject(toDaybookError(error))))
  }

  const commit = (group: readonly Waiting[]) => {
    let results: unknown[]
    try {
      results = db.transaction(() => runAll(group))
    } catch (error) {
      // The common case pays for no savepoints: after a failure each write gets a transaction of its own.
      if (group.length > 1) for (const one of group) commit([one])
      else group[0]?.reject(toDaybookError(error))
      return
    }
    settle(group, results)
  }

  const commitThere = async (to: Truth, group: readonly Waiting[]) => {
    try {
      settle(group, await to.commit(() => runAll(group)))
    } catch (error) {
      if (group.length > 1) for (const one of group) await commitThere(to, [one])
      else group[0]?.reject(toDaybookError(error))
    }
  }

  const drain = async (to: Truth) => {
    if (committing) return
    committing = true
    while (waiting.length > 0) await commitThere(to, waiting.splice(0, writesPerCommit))
    committing = false
  }

  const flush = () => {
    if (truth) {
      scheduled = false
      void drain(truth)
      return
    }
    scheduled = false
    const group = waiting
    waiting = []
    for (let from = 0; from < group.length; from += writesPerCommit)
      commit(group.slice(from, from + writesPerCommit))
  }

  return {
    together(work) {
      held = true
      try {
        return work()
      } finally {
        held = false
        flush()
      }
    },
    write<Result>(work: () => Result) {
      if (closed) return Promise.reject(new DaybookError('book-closed'))
      return new Promise<Result>((resolve, reject) => {
        waiting.push({ work, resolve: resolve as (value: never) => void, reject })
        if (scheduled || held) return
        scheduled = true
        scheduler.soon(flush)
      })
    },
    close() {
      // Closed first: a write that comes out of this last commit would find no database.
      if (closed) return
      closed = true
      flush()
    },
  }
}
