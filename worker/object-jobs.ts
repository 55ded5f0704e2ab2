// Jobs of a book's Durable Object. An object has one alarm, which survives an eviction; timers don't. The table
// `due_jobs` lists the jobs of the alarm. Every host's books have the table, because all hosts share the migrations.
// Invariant: a planned job stays in the table until it is taken, and the alarm is set for the earliest job. A job is
// planned while a task waits or runs, and while a record may lack its vector.
import type { SqlDatabase } from '../src/core/ports.ts'
import { parseTime } from '../src/core/time.ts'
import type { Engine } from '../src/engine/engine.ts'
import type { EmbedStatus } from '../src/core/capability/status.ts'

/** Planned jobs by name. Times are milliseconds since 1970 UTC. */
export class JobTable {
  readonly #db: SqlDatabase

  constructor(db: SqlDatabase) {
    this.#db = db
  }

  /** Plans `job` for `atMs`. Replaces its earlier plan. */
  plan(job: string, atMs: number): void {
    this.#db.run('INSERT OR REPLACE INTO due_jobs (job, at_ms) VALUES (?, ?)', [job, atMs])
  }

  /** Plans `job` for `atMs`, unless it is planned for an earlier time. */
  planEarlier(job: string, atMs: number): void {
    this.#db.run(
      'INSERT INTO due_jobs (job, at_ms) VALUES (?, ?) ON CONFLICT (job) DO UPDATE SET at_ms = min(at_ms, excluded.at_ms)',
      [job, atMs],
    )
  }

  /** Plans `job` for `atMs`, unless it is already planned. */
  ensure(job: string, atMs: number): void {
    this.#db.run('INSERT OR IGNORE INTO due_jobs (job, at_ms) VALUES (?, ?)', [job, atMs])
  }

  drop(job: string): void {
    this.#db.run('DELETE FROM due_jobs WHERE job = ?', [job])
  }

  /** Removes and returns the due jobs. */
  take(nowMs: number): string[] {
    return this.#db
      .all<{ job: string }>('DELETE FROM due_jobs WHERE at_ms <= ? RETURNING job', [nowMs])
      .map(({ job }) => job)
  }

  /** Returns the time of the earliest job; undefined without one. */
  earliestMs(): number | undefined {
    return this.#db.get<{ at: number | null }>('SELECT min(at_ms) AS at FROM due_jobs')?.at ?? undefined
  }
}

export const taskJobName = 'tasks'
/** A run waits for tasks due within this time, which also covers a difference to the platform's clock. */
const soonMs = 1000
/** Maximum duration of a run in one alarm. The next alarm continues. */
const maxTaskRunMs = 5 * 60_000

/** Runs the book's task queue in alarms. */
export class TaskJob {
  readonly #engine: Engine
  readonly #due: JobTable
  /** The time of the plan, if `#isPlanned`; undefined: no task waits. */
  #plannedMs: number | undefined
  #isPlanned = false
  #isRunning = false

  constructor(engine: Engine, due: JobTable) {
    this.#engine = engine
    this.#due = due
  }

  /** Plans the job for the next task. True: the plan changed. */
  plan(): boolean {
    const next = this.#nextMs()
    // During a run, no plan: the end of the run plans the job again.
    if (this.#isRunning || (this.#isPlanned && next === this.#plannedMs)) return false
    this.#isPlanned = true
    this.#plannedMs = next
    if (next === undefined) this.#due.drop(taskJobName)
    else this.#due.plan(taskJobName, next)
    return true
  }

  /** Runs tasks. Resolves when no task is due or running, or after the maximum duration. */
  run(): Promise<void> {
    const engine = this.#engine
    this.#isRunning = true
    this.#isPlanned = false
    return new Promise((resolve) => {
      let cancelSoon = () => undefined as void
      const finish = () => {
        unsubscribe()
        this.#isRunning = false
        clearTimeout(timer)
        cancelSoon()
        resolve()
      }
      const checkDone = () => {
        const waitMs = (this.#nextMs() ?? Infinity) - Date.now()
        if (waitMs > soonMs && !engine.store.tasks.isRunning()) return finish()
        cancelSoon()
        if (waitMs <= 0 || waitMs > soonMs) return
        const soon = setTimeout(() => engine.wake(), waitMs + 1)
        cancelSoon = () => clearTimeout(soon)
      }
      const unsubscribe = engine.on(({ name }) => {
        if (name === 'task' || name === 'closed') checkDone()
      })
      const timer = setTimeout(finish, maxTaskRunMs)
      engine.wake()
      checkDone()
    })
  }

  #nextMs(): number | undefined {
    const { newer, tasks } = this.#engine.store
    // A read-only book runs no tasks.
    // Without a waiting task, `parseTime('')` is undefined.
    return newer ? undefined : parseTime(tasks.nextCheck() ?? '')
  }
}

export const embedJobName = 'embed'
/** An object in memory embeds within seconds without the alarm. The alarm serves an evicted object. */
const embedDelayMs = 30_000
/** Delay after a failure of the embedder. */
const embedRetryMs = 300_000
/** Maximum duration of a run in one alarm. The next alarm continues. */
const maxEmbedRunMs = 60_000
/** Pause between two checks of a run. */
const pollMs = 500

/** Embeds the book's records in alarms. */
export class EmbedJob {
  readonly #engine: Engine
  readonly #due: JobTable

  constructor(engine: Engine, due: JobTable) {
    this.#engine = engine
    this.#due = due
  }

  /** Plans the job if records may lack vectors. True: the job is planned, now or before. */
  plan(): boolean {
    const { projection, vectors } = this.#engine.store
    if (!projection.isBehind() && vectors.missingCount() === 0) return false
    this.#due.ensure(embedJobName, Date.now() + embedDelayMs)
    return true
  }

  /** Embeds records. Resolves when all have vectors, when the embedder fails, or after the maximum duration. */
  async run(): Promise<void> {
    const startedMs = Date.now()
    await new Promise<void>((resolve) => {
      const finish = () => {
        unsubscribe()
        clearInterval(timer)
        resolve()
      }
      const checkDone = () =>
        // `behind`: records without a vector. The fields: `EmbedStatus` in core/capability/status.ts.
        void this.#status().then(({ state, behind }) => {
          if (behind === 0 || state === 'failing' || Date.now() - startedMs > maxEmbedRunMs) finish()
        }, finish)
      const unsubscribe = this.#engine.on(({ name }) => name === 'progress' && checkDone())
      // A failure sends no event, so poll.
      const timer = setInterval(checkDone, pollMs)
      checkDone()
    })
    const { state, behind } = await this.#status()
    if (behind > 0 && state !== 'off')
      this.#due.plan(embedJobName, Date.now() + (state === 'failing' ? embedRetryMs : embedDelayMs))
  }

  #status(): Promise<EmbedStatus> {
    return this.#engine.call('embed:status', {}) as Promise<EmbedStatus>
  }
}
