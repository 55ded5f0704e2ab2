// Gives records their vectors, behind the writes: takes in what is there, embeds what is missing, a batch at a time.
// Invariant: a crash loses nothing; the task tries again what fails, later and later, and a text that the embedder refuses
// holds up no other.
import { createAbort } from '../../core/abort.ts'
import { type DaybookError, isDaybookError, toDaybookError } from '../../core/errors.ts'
import type { Clock, Embedder, Log, Scheduler } from '../../core/ports.ts'
import { fingerprintOf, prefixOf } from '../../store/vector/vector-space.ts'
import type { PendingText, VectorStore } from '../../store/vector/vector-store.ts'
import type { EmbedHealth } from './embed-health.ts'

export interface EmbedTask {
  /** Something may be to embed. Cheap, and safe to call at any time. */
  wake(): void
  /** True while a batch is with the embedder or more is to be taken in. */
  busy(): boolean
  stop(): void
}

export interface EmbedTaskParts {
  readonly vectors: VectorStore
  readonly embedder: Embedder
  readonly health: EmbedHealth
  readonly clock: Clock
  readonly scheduler: Scheduler
  readonly log: Log
  /** Runs after each batch that was kept, and when all that was kept before is in memory. */
  readonly onProgress: () => void
}

/** Between slices of work in this thread, and how long one is. */
const pauseMs = 4
const sliceMs = 6
const takeBatch = 100
/** So many refusals in a row, and no success yet, are no fault of the texts. */
const refusalLimit = 3

export function createEmbedTask(parts: EmbedTaskParts): EmbedTask {
  const { vectors, embedder, health, clock, scheduler, log, onProgress } = parts
  const abort = createAbort()
  let cancel: (() => void) | undefined
  let running = false
  let stopped = false
  let batch = embedder.batch
  let refusals = 0
  let hasSucceeded = false
  let settled = false

  const schedule = (delayMs: number) => {
    if (stopped) return
    cancel?.()
    cancel = scheduler.later(delayMs, () => {
      cancel = undefined
      if (!stopped && !running) step()
    })
  }

  /** Enters the space of the embedder as far as it is known; false when only an answer can tell. */
  const enterSpace = (): boolean => {
    const { dimensions, provider, model } = embedder
    const current = vectors.fingerprint()
    if (dimensions !== undefined) vectors.enter(fingerprintOf({ provider, model, dimensions }))
    else if (current?.startsWith(prefixOf(embedder))) vectors.enter(current)
    else return false
    return true
  }

  const takeIn = (): boolean => {
    const began = clock.now()
    while (vectors.step(takeBatch)) if (clock.now() - began >= sliceMs) return true
    return false
  }

  const step = () => {
    const rest = health.restMs()
    if (rest === 0 || embedder.waiting === undefined) {
      const preparing = embedder.prepare?.()
      if (preparing === true) return schedule(pauseMs)
      if (preparing) return run(preparing.then(health.succeeded), [])
    }
    if (embedder.waiting !== undefined) return rest > 0 ? schedule(rest) : undefined
    const isKnown = enterSpace()
    if (isKnown && takeIn()) {
      settled = false
      return schedule(pauseMs)
    }
    // Nothing is entered before it is known how many dimensions there are: any text tells.
    const pending = isKnown ? vectors.pending(batch) : []
    if (isKnown && pending.length === 0) {
      // What was kept from before is in memory now, though nothing had to be embedded.
      if (!settled) onProgress()
      settled = true
      return
    }
    if (rest > 0) return schedule(rest)
    run(embed(pending), pending)
  }

  const run = (work: Promise<void>, pending: readonly PendingText[]) => {
    running = true
    void work
      .catch((error: unknown) => fail(toDaybookError(error), pending))
      .finally(() => {
        running = false
        schedule(Math.max(pauseMs, health.restMs()))
      })
  }

  const embed = async (pending: readonly PendingText[]) => {
    const texts = pending.length === 0 ? ['dimensions'] : pending.map(({ text }) => text)
    const { provider, model } = embedder
    const answer = await embedder.embed(texts, 'document', abort.signal)
    if (stopped) return
    health.succeeded()
    hasSucceeded = true
    refusals = 0
    batch = Math.min(embedder.batch, batch * 2)
    const dimensions = answer[0]?.length ?? 0
    const fingerprint = fingerprintOf({ provider, model, dimensions })
    // Another number of dimensions than expected: the model behind the name has changed.
    if (fingerprint !== vectors.fingerprint()) return vectors.enter(fingerprint)
    if (pending.length === 0) return vectors.enter(fingerprint)
    vectors.keep(pending.map(({ seq, textKey }, i) => ({ seq, textKey, vector: answer[i] as Float32Array })))
    onProgress()
  }

  const fail = (error: DaybookError, pending: readonly PendingText[]) => {
    if (stopped) return
    if (isRefusal(error) && pending.length > 1) {
      batch = Math.ceil(pending.length / 2)
      return
    }
    if (isRefusal(error) && pending.length === 1 && (hasSucceeded || refusals < refusalLimit)) {
      refusals += 1
      return vectors.refuse(pending.map(({ seq }) => seq))
    }
    health.failed(error)
    log.warn('The embedder failed.', { code: error.code, message: error.message })
  }

  return {
    wake() {
      if (!running && !cancel) schedule(0)
    },
    busy: () => running || cancel !== undefined,
    stop() {
      stopped = true
      cancel?.()
      abort.abort()
      embedder.close()
    },
  }
}

/** True when it is the text that the embedder won't have, as far as a status can say so. */
function isRefusal(error: DaybookError): boolean {
  const { status } = error.details
  return isDaybookError(error, 'embedder-failed') && (status === 400 || status === 413 || status === 422)
}
