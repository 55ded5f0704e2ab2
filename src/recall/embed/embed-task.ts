// Embeds records after their writes: finds the derived records (those with hot columns) that have no vector, and
// embeds them, a batch at a time.
// Invariants: a crash loses nothing; failures are retried with growing pauses, and a refused text blocks no other.
import { createAbort } from '../../core/abort.ts'
import { type DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { Clock, Embedder, Log, Scheduler } from '../../core/ports.ts'
import { fingerprintOf, fingerprintPrefix } from '../../store/vector/vector-space.ts'
import type { BookStore } from '../../store/book-store.ts'
import type { PendingText } from '../../store/vector/vector-store.ts'
import type { EmbedHealth } from './embed-health.ts'

export interface EmbedTaskDeps {
  readonly store: Pick<BookStore, 'vectors' | 'projection'>
  readonly embedder: Embedder
  readonly health: EmbedHealth
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Log
  /** Called with true after each stored batch, and with false when all stored vectors are in memory. */
  readonly onProgress: (isNews: boolean) => void
}

/** Pause before the next slice, for an embedder that is not quick. A quick one only lets other work of this thread pass. */
const pauseMs = 4
/** A slice ends after about this time: so long a call waits. */
const sliceMs = 20
/** Records of one read; a slice has one or more reads. */
const readBatch = 100
/** A question waits this long for vectors; all questions after an opening together up to `openingMs`. */
const questionMs = 30
const openingMs = 1000
/** Before the first success, more refusals in a row than this are not the fault of the texts. */
const maxRefusalsInRow = 3

export class EmbedTask {
  readonly #deps: EmbedTaskDeps
  readonly #abort = createAbort()
  #cancelTimer: (() => void) | undefined
  #isRunning = false
  #isStopped = false
  #batchSize: number
  /** Refused texts in a row. */
  #refusals = 0
  #hasSucceeded = false
  /** True if `onProgress` was called since all records have vectors. */
  #hasReportedIdle = false
  /** The run of `catchUp`, which all questions share. */
  #catchingUp: Promise<void> | undefined
  /** The rest of `openingMs`. */
  #openingLeftMs = openingMs

  constructor(deps: EmbedTaskDeps) {
    this.#deps = deps
    this.#batchSize = deps.embedder.batch
  }

  /** Looks for records to embed. Cheap; call it at any time. */
  wake(): void {
    if (!this.#isRunning && !this.#cancelTimer) this.#schedule(0)
  }

  /** True if records may have no vector in memory yet. */
  isBehind(): boolean {
    const { vectors, projection } = this.#deps.store
    return vectors.missingCount() > 0 || projection.isBehind()
  }

  /**
   * Before a question: reads stored vectors, and embeds new records if that is quick. It ends early when that takes long; but
   * the event loop turns at least once, or questions in a row would stop this task. Undefined if there is nothing to do.
   */
  catchUp(): Promise<void> | undefined {
    const { embedder, health } = this.#deps
    const start = () => {
      const canWork = embedder.waiting === undefined && health.pauseLeftMs() === 0
      if (this.#isStopped || (canWork && !this.#isRunning && !this.isBehind())) return undefined
      return (this.#catchingUp ??= this.#catchUp().finally(() => (this.#catchingUp = undefined)))
    }
    // The present run may end without the last write.
    return this.#catchingUp?.then(start) ?? start()
  }

  async #catchUp(): Promise<void> {
    const { clock, scheduler } = this.#deps
    const startedMs = clock.now()
    const limitMs = Math.max(questionMs, this.#openingLeftMs)
    try {
      for (let isDone = false; !isDone && clock.now() - startedMs < limitMs;) {
        isDone = !this.#workOnce()
        await new Promise<void>((resolve) => scheduler.soon(resolve))
      }
    } catch {
      // Words answer. This task, or the work that derives rows, meets the fault again in idle time and reports it.
    }
    this.#openingLeftMs -= clock.now() - startedMs
  }

  /** One slice of work for a question; true if more may wait. */
  #workOnce(): boolean {
    const { embedder, health, store } = this.#deps
    if (this.#isStopped || embedder.waiting !== undefined || health.pauseLeftMs() > 0) return false
    // A running batch of a quick embedder ends in the next turns.
    if (this.#isRunning) return embedder.isLoaded === true
    if (store.projection.isBehind() && store.projection.step(readBatch)) return true
    if (!this.#setSpace()) return false
    if (this.#readRecords()) return true
    const pending = embedder.isLoaded === true ? this.#readTexts() : []
    if (pending.length > 0) this.#run(this.#embed(pending), pending)
    return pending.length > 0
  }

  stop(): void {
    this.#isStopped = true
    this.#cancelTimer?.()
    this.#abort.abort()
    this.#deps.embedder.close()
  }

  #schedule(delayMs: number): void {
    if (this.#isStopped) return
    this.#cancelTimer?.()
    this.#cancelTimer = this.#deps.scheduler.later(delayMs, () => this.#stepQuietly())
  }

  /** A browser's timer waits longer than a quick embedder works. */
  #scheduleNext(): void {
    const { embedder, health, scheduler } = this.#deps
    const pauseLeftMs = health.pauseLeftMs()
    if (embedder.isLoaded !== true || pauseLeftMs > 0) return this.#schedule(Math.max(pauseMs, pauseLeftMs))
    if (this.#isStopped) return
    this.#cancelTimer?.()
    let isCancelled = false
    this.#cancelTimer = () => (isCancelled = true)
    scheduler.soon(() => {
      if (!isCancelled) this.#stepQuietly()
    })
  }

  #stepQuietly(): void {
    this.#cancelTimer = undefined
    if (this.#isStopped || this.#isRunning) return
    try {
      this.#step()
    } catch (error) {
      // A timer has no caller that gets the error: on Node an uncaught error ends the process.
      this.#run(Promise.reject(toDaybookError(error)), [])
    }
  }

  #step(): void {
    const { store, embedder, health, onProgress } = this.#deps
    const { vectors } = store
    // How long the pause after a failure still lasts.
    const pauseLeftMs = health.pauseLeftMs()
    // During a pause, don't prepare an embedder that can't embed yet: its preparation is what failed.
    if (pauseLeftMs === 0 || embedder.waiting === undefined) {
      // True: more is left to prepare. A promise: longer work, such as a download.
      const preparing = embedder.prepare?.()
      if (preparing === true) return this.#schedule(pauseMs)
      if (preparing) return this.#run(preparing.then(health.recordSuccess), [])
    }
    // It can't embed yet, for example because there are too few records to learn from. The engine calls `wake` when it
    // is idle after the next writes. After a failure, this task tries again by itself.
    if (embedder.waiting !== undefined) return pauseLeftMs > 0 ? this.#schedule(pauseLeftMs) : undefined
    const hasSpace = this.#setSpace()
    if (hasSpace && this.#readRecords()) {
      this.#hasReportedIdle = false
      return this.#scheduleNext()
    }
    // Without a space there are no texts: `#embed` then learns the dimensions.
    const pending = hasSpace ? this.#readTexts() : []
    const isIdle = hasSpace && pending.length === 0
    if (isIdle) {
      // Stored vectors are in memory now, although nothing was embedded.
      if (!this.#hasReportedIdle) onProgress(false)
      this.#hasReportedIdle = true
      // The next question needs the model.
      if (embedder.isLoaded !== false || vectors.state().embedded === 0) return
    }
    if (pauseLeftMs > 0) return this.#schedule(pauseLeftMs)
    if (isIdle)
      return this.#run(
        embedder.embed([], 'document', this.#abort.signal).then(() => health.recordSuccess()),
        [],
      )
    this.#run(this.#embed(pending), pending)
  }

  /**
   * Enters the space of the embedder (vectors of one provider, model and dimensions); false while its dimensions are
   * unknown, until its first answer.
   */
  #setSpace(): boolean {
    const { embedder } = this.#deps
    const { vectors } = this.#deps.store
    const { dimensions, provider, model } = embedder
    const current = vectors.fingerprint()
    if (dimensions !== undefined) vectors.setSpace(fingerprintOf({ provider, model, dimensions }))
    else if (current?.startsWith(fingerprintPrefix(embedder))) vectors.setSpace(current)
    else return false
    return true
  }

  /** Reads records for one slice; true when more wait. */
  #readRecords(): boolean {
    const { clock } = this.#deps
    const { vectors } = this.#deps.store
    const startedMs = clock.now()
    while (vectors.readNext(readBatch)) if (clock.now() - startedMs >= sliceMs) return true
    return false
  }

  /** The next texts; of long ones so many that they are read in one slice. */
  #readTexts(): PendingText[] {
    const { clock, store } = this.#deps
    const startedMs = clock.now()
    const pending = store.vectors.pendingTexts(this.#batchSize)
    const share = sliceMs / Math.max(sliceMs, clock.now() - startedMs)
    this.#batchSize = Math.ceil(this.#batchSize * share)
    return pending
  }

  #run(work: Promise<void>, pending: readonly PendingText[]): void {
    this.#isRunning = true
    void work
      .catch((error: unknown) => this.#fail(toDaybookError(error), pending))
      .finally(() => {
        this.#isRunning = false
        this.#scheduleNext()
      })
  }

  async #embed(pending: readonly PendingText[]): Promise<void> {
    const { store, embedder, health, onProgress } = this.#deps
    const { vectors } = store
    const texts = pending.length === 0 ? ['dimensions'] : pending.map(({ text }) => text)
    const { provider, model } = embedder
    const answer = await embedder.embed(texts, 'document', this.#abort.signal)
    if (this.#isStopped) return
    // The embedder may have refused them because it was at fault itself.
    if (!this.#hasSucceeded) vectors.retryRefused()
    this.#hasSucceeded = true
    this.#refusals = 0
    this.#batchSize = Math.min(embedder.batch, this.#batchSize * 2)
    const dimensions = answer[0]?.length ?? 0
    const fingerprint = fingerprintOf({ provider, model, dimensions })
    // Other dimensions than expected: the model behind the name has changed.
    const isNewSpace = fingerprint !== vectors.fingerprint() || pending.length === 0
    if (isNewSpace) vectors.setSpace(fingerprint)
    else {
      vectors.storeVectors(
        pending.map(({ seq, textKey }, i) => ({ seq, textKey, vector: answer[i] as Float32Array })),
      )
    }
    // Not before the vectors are stored: the pauses must also grow when the store fails again and again.
    health.recordSuccess()
    if (!isNewSpace) onProgress(true)
  }

  #fail(error: DaybookError, pending: readonly PendingText[]): void {
    if (this.#isStopped) return
    if (isRefusal(error) && pending.length > 1) {
      this.#batchSize = Math.ceil(pending.length / 2)
      return
    }
    if (
      isRefusal(error) &&
      pending.length === 1 &&
      (this.#hasSucceeded || this.#refusals < maxRefusalsInRow)
    ) {
      this.#refusals += 1
      return this.#deps.store.vectors.markRefused(pending.map(({ seq }) => seq))
    }
    this.#deps.health.recordFailure(error)
    this.#deps.log.warn('Records could not be embedded.', { code: error.code, message: error.message })
  }
}

/** True when the embedder refuses the text, as far as a status can tell. */
function isRefusal(error: DaybookError): boolean {
  const { status } = error.details
  return isDaybookError(error, 'embedder-failed') && (status === 400 || status === 413 || status === 422)
}
