// Group commit: pending writes share one transaction.
// Invariant: the promise of a write resolves only after its commit is durable; a write that throws undoes only
// itself.
import { DaybookError, toDaybookError } from '../core/errors.ts'
import type { Scheduler, SqlDatabase, Truth } from '../core/ports.ts'

interface PendingWrite {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (error: DaybookError) => void
}

/** Most writes of one transaction: limits how long it blocks the engine. */
const maxWritesPerCommit = 1024

/**
 * `begin` runs first and `end` last inside each transaction, `committed` after its commit. After a rollback
 * `begin` runs again without `committed`.
 */
export interface TransactionHooks {
  begin(): void
  end?(): void
  committed(): void
}

interface WriteQueueOptions {
  /** At a mirror: commits the transactions in place of `db`. */
  readonly truth?: Truth | undefined
  readonly hooks?: readonly TransactionHooks[]
}

/**
 * `onCommit` runs after each commit, before its promises resolve. With a `truth`, `truth.commit` runs the
 * transactions, one at a time; writes that arrive during one share the next.
 */
export class WriteQueue {
  readonly #db: SqlDatabase
  readonly #scheduler: Scheduler
  readonly #onCommit: () => void
  readonly #truth: Truth | undefined
  readonly #hooks: readonly TransactionHooks[]
  #pending: PendingWrite[] = []
  /** True while a commit is scheduled. */
  #isScheduled = false
  /** True during `commitTogether`, which commits at its end. */
  #isHeld = false
  #isClosed = false
  /** True while `truth` commits: then new writes wait for its next transaction. */
  #isDraining = false

  constructor(
    db: SqlDatabase,
    scheduler: Scheduler,
    onCommit: () => void,
    { truth, hooks = [] }: WriteQueueOptions = {},
  ) {
    this.#db = db
    this.#scheduler = scheduler
    this.#onCommit = onCommit
    this.#truth = truth
    this.#hooks = hooks
  }

  /**
   * Runs `work` in the next transaction. `work` may run twice: after a rollback it runs again from the start.
   * Rejects with `book-closed` after `close`.
   */
  write<Result>(work: () => Result): Promise<Result> {
    if (this.#isClosed) return Promise.reject(new DaybookError('book-closed'))
    return new Promise<Result>((resolve, reject) => {
      this.#pending.push({ work, resolve: resolve as (value: never) => void, reject })
      if (this.#isScheduled || this.#isHeld) return
      this.#isScheduled = true
      this.#scheduler.soon(() => this.#flush())
    })
  }

  /** Runs `work`, then commits the pending writes at once, with those that `work` added. */
  commitTogether<Result>(work: () => Result): Result {
    this.#isHeld = true
    try {
      return work()
    } finally {
      this.#isHeld = false
      this.#flush()
    }
  }

  close(): void {
    if (this.#isClosed) return
    // Close first: the database is closed before a write that this last commit causes could run.
    this.#isClosed = true
    this.#flush()
  }

  #flush(): void {
    this.#isScheduled = false
    if (this.#truth) return void this.#drain(this.#truth)
    const group = this.#pending
    this.#pending = []
    for (let from = 0; from < group.length; from += maxWritesPerCommit)
      this.#commit(group.slice(from, from + maxWritesPerCommit))
  }

  #commit(group: readonly PendingWrite[]): void {
    let results: unknown[]
    try {
      results = this.#db.transaction(() => this.#runGroup(group))
    } catch (error) {
      // The common case needs no savepoints: after a failure each write gets its own transaction.
      if (group.length > 1) for (const write of group) this.#commit([write])
      else group[0]?.reject(toDaybookError(error))
      return
    }
    this.#resolveWrites(group, results)
  }

  async #drain(truth: Truth): Promise<void> {
    if (this.#isDraining) return
    this.#isDraining = true
    while (this.#pending.length > 0)
      await this.#commitToTruth(truth, this.#pending.splice(0, maxWritesPerCommit))
    this.#isDraining = false
  }

  async #commitToTruth(truth: Truth, group: readonly PendingWrite[]): Promise<void> {
    try {
      this.#resolveWrites(group, await truth.commit(() => this.#runGroup(group)))
    } catch (error) {
      if (group.length > 1) for (const write of group) await this.#commitToTruth(truth, [write])
      else group[0]?.reject(toDaybookError(error))
    }
  }

  #runGroup(group: readonly PendingWrite[]): unknown[] {
    for (const hook of this.#hooks) hook.begin()
    const results = group.map(({ work }) => work())
    for (const hook of this.#hooks) hook.end?.()
    return results
  }

  #resolveWrites(group: readonly PendingWrite[], results: readonly unknown[]): void {
    for (const hook of this.#hooks) hook.committed()
    this.#onCommit()
    const resolve = () => group.forEach((write, i) => write.resolve(results[i] as never))
    const durable = this.#db.settled?.('write')
    // Undefined: the commit is durable already.
    if (!durable) return resolve()
    durable.then(resolve, (error: unknown) => group.forEach(({ reject }) => reject(toDaybookError(error))))
  }
}
