// Embeds records behind the writes: reads derived records, then embeds the missing ones, a batch at a time.
// Invariants: a crash loses nothing; failures are retried with growing pauses, and a refused text blocks no other.
import { createAbort } from '../../core/abort.ts'
import { type DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { Clock, Embedder, Log, Scheduler } from '../../core/ports.ts'
import { fingerprintOf, prefixOf } from '../../store/vector/vector-space.ts'
import type { PendingText, VectorStore } from '../../store/vector/vector-store.ts'
import type { EmbedHealth } from './embed-health.ts'

export interface EmbedTaskParts {
  readonly vectors: VectorStore
  readonly embedder: Embedder
  readonly health: EmbedHealth
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Log
  /** Called after each stored batch, and when all stored vectors are in memory. */
  readonly onProgress: () => void
}

/** Pause between slices of work in this thread, and length of one. */
const pauseMs = 4
const sliceMs = 6
const readBatch = 100
/** This many refusals in a row without a success are not the fault of the texts. */
const refusalLimit = 3

export class EmbedTask {
  readonly #parts: EmbedTaskParts
  readonly #abort = createAbort()
  #cancel: (() => void) | undefined
  #running = false
  #stopped = false
  #batch: number
  #refusals = 0
  #hasSucceeded = false
  #settled = false

  constructor(parts: EmbedTaskParts) {
    this.#parts = parts
    this.#batch = parts.embedder.batch
  }

  /** Looks for records to embed. Cheap; call it at any time. */
  wake(): void {
    if (!this.#running && !this.#cancel) this.#schedule(0)
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
    this.#abort.abort()
    this.#parts.embedder.close()
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return
    this.#cancel?.()
    this.#cancel = this.#parts.scheduler.later(delayMs, () => {
      this.#cancel = undefined
      if (!this.#stopped && !this.#running) this.#step()
    })
  }

  #step(): void {
    const { vectors, embedder, health, onProgress } = this.#parts
    const rest = health.restMs()
    if (rest === 0 || embedder.waiting === undefined) {
      const preparing = embedder.prepare?.()
      if (preparing === true) return this.#schedule(pauseMs)
      if (preparing) return this.#run(preparing.then(health.succeeded), [])
    }
    if (embedder.waiting !== undefined) return rest > 0 ? this.#schedule(rest) : undefined
    const isEntered = this.#enterSpace()
    if (isEntered && this.#readRecords()) {
      this.#settled = false
      return this.#schedule(pauseMs)
    }
    // Before the dimensions are known, embed any text to learn them.
    const pending = isEntered ? vectors.pending(this.#batch) : []
    if (isEntered && pending.length === 0) {
      // Stored vectors are in memory now, although nothing was embedded.
      if (!this.#settled) onProgress()
      this.#settled = true
      return
    }
    if (rest > 0) return this.#schedule(rest)
    this.#run(this.#embed(pending), pending)
  }

  /** Enters the space of the embedder; false when only its answer will tell the dimensions. */
  #enterSpace(): boolean {
    const { vectors, embedder } = this.#parts
    const { dimensions, provider, model } = embedder
    const current = vectors.fingerprint()
    if (dimensions !== undefined) vectors.enter(fingerprintOf({ provider, model, dimensions }))
    else if (current?.startsWith(prefixOf(embedder))) vectors.enter(current)
    else return false
    return true
  }

  /** Reads records for one slice; true when more wait. */
  #readRecords(): boolean {
    const { vectors, clock } = this.#parts
    const began = clock.now()
    while (vectors.step(readBatch)) if (clock.now() - began >= sliceMs) return true
    return false
  }

  #run(work: Promise<void>, pending: readonly PendingText[]): void {
    this.#running = true
    void work
      .catch((error: unknown) => this.#fail(toDaybookError(error), pending))
      .finally(() => {
        this.#running = false
        this.#schedule(Math.max(pauseMs, this.#parts.health.restMs()))
      })
  }

  async #embed(pending: readonly PendingText[]): Promise<void> {
    const { vectors, embedder, health, onProgress } = this.#parts
    const texts = pending.length === 0 ? ['dimensions'] : pending.map(({ text }) => text)
    const { provider, model } = embedder
    const answer = await embedder.embed(texts, 'document', this.#abort.signal)
    if (this.#stopped) return
    health.succeeded()
    this.#hasSucceeded = true
    this.#refusals = 0
    this.#batch = Math.min(embedder.batch, this.#batch * 2)
    const dimensions = answer[0]?.length ?? 0
    const fingerprint = fingerprintOf({ provider, model, dimensions })
    // Other dimensions than expected: the model behind the name has changed.
    if (fingerprint !== vectors.fingerprint() || pending.length === 0) return vectors.enter(fingerprint)
    vectors.keep(pending.map(({ seq, textKey }, i) => ({ seq, textKey, vector: answer[i] as Float32Array })))
    onProgress()
  }

  #fail(error: DaybookError, pending: readonly PendingText[]): void {
    if (this.#stopped) return
    if (isRefusal(error) && pending.length > 1) {
      this.#batch = Math.ceil(pending.length / 2)
      return
    }
    if (isRefusal(error) && pending.length === 1 && (this.#hasSucceeded || this.#refusals < refusalLimit)) {
      this.#refusals += 1
      return this.#parts.vectors.refuse(pending.map(({ seq }) => seq))
    }
    this.#parts.health.failed(error)
    this.#parts.log.warn('The embedder failed.', { code: error.code, message: error.message })
  }
}

/** True when the embedder refuses the text, as far as a status can tell. */
function isRefusal(error: DaybookError): boolean {
  const { status } = error.details
  return isDaybookError(error, 'embedder-failed') && (status === 400 || status === 413 || status === 422)
}
