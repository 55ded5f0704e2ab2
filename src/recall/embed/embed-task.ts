// Embeds records after their writes: finds the derived records (those with hot columns) that have no vector, and
// embeds them, a batch at a time.
// Invariants: a crash loses nothing; failures are retried with growing pauses, and a refused text blocks no other.
import { createAbort } from '../../core/abort.ts'
import { type DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { Clock, Embedder, Log, Scheduler } from '../../core/ports.ts'
import { fingerprintOf, fingerprintPrefix } from '../../store/vector/vector-space.ts'
import type { PendingText, VectorStore } from '../../store/vector/vector-store.ts'
import type { EmbedHealth } from './embed-health.ts'

export interface EmbedTaskDeps {
  readonly vectors: VectorStore
  readonly embedder: Embedder
  readonly health: EmbedHealth
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Log
  /** Called after each stored batch, and when all stored vectors are in memory. */
  readonly onProgress: () => void
}

/** Pause between two slices of work in this thread. */
const pauseMs = 4
/** A slice ends after this time. */
const sliceMs = 6
/** Records of one read; a slice has one or more reads. */
const readBatch = 100
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

  constructor(deps: EmbedTaskDeps) {
    this.#deps = deps
    this.#batchSize = deps.embedder.batch
  }

  /** Looks for records to embed. Cheap; call it at any time. */
  wake(): void {
    if (!this.#isRunning && !this.#cancelTimer) this.#schedule(0)
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
    this.#cancelTimer = this.#deps.scheduler.later(delayMs, () => {
      this.#cancelTimer = undefined
      if (this.#isStopped || this.#isRunning) return
      try {
        this.#step()
      } catch (error) {
        // A timer has no caller that gets the error: on Node an uncaught error ends the process.
        this.#run(Promise.reject(toDaybookError(error)), [])
      }
    })
  }

  #step(): void {
    const { vectors, embedder, health, onProgress } = this.#deps
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
      return this.#schedule(pauseMs)
    }
    // Without a space there are no texts: `#embed` then learns the dimensions.
    const pending = hasSpace ? vectors.pendingTexts(this.#batchSize) : []
    if (hasSpace && pending.length === 0) {
      // Stored vectors are in memory now, although nothing was embedded.
      if (!this.#hasReportedIdle) onProgress()
      this.#hasReportedIdle = true
      return
    }
    if (pauseLeftMs > 0) return this.#schedule(pauseLeftMs)
    this.#run(this.#embed(pending), pending)
  }

  /**
   * Enters the space of the embedder (vectors of one provider, model and dimensions); false while its dimensions are
   * unknown, until its first answer.
   */
  #setSpace(): boolean {
    const { vectors, embedder } = this.#deps
    const { dimensions, provider, model } = embedder
    const current = vectors.fingerprint()
    if (dimensions !== undefined) vectors.setSpace(fingerprintOf({ provider, model, dimensions }))
    else if (current?.startsWith(fingerprintPrefix(embedder))) vectors.setSpace(current)
    else return false
    return true
  }

  /** Reads records for one slice; true when more wait. */
  #readRecords(): boolean {
    const { vectors, clock } = this.#deps
    const startedMs = clock.now()
    while (vectors.readNext(readBatch)) if (clock.now() - startedMs >= sliceMs) return true
    return false
  }

  #run(work: Promise<void>, pending: readonly PendingText[]): void {
    this.#isRunning = true
    void work
      .catch((error: unknown) => this.#fail(toDaybookError(error), pending))
      .finally(() => {
        this.#isRunning = false
        this.#schedule(Math.max(pauseMs, this.#deps.health.pauseLeftMs()))
      })
  }

  async #embed(pending: readonly PendingText[]): Promise<void> {
    const { vectors, embedder, health, onProgress } = this.#deps
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
    if (!isNewSpace) onProgress()
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
      return this.#deps.vectors.markRefused(pending.map(({ seq }) => seq))
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
