// Vectors of questions: cached; the request is cancelled if the embedder is slow.
// Invariant: a caller waits at most until the deadline, and not at all for an embedder that has just failed.
import {
  type AbortSignalLike,
  checkAborted,
  createDeadline,
  type Deadline,
  orAborted,
} from '../../core/abort.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Embedder, Scheduler } from '../../core/ports.ts'
import type { EmbedHealth } from './embed-health.ts'

export interface QuestionVectors {
  /** Throws the embedder's error, or `embedder-failed` after the deadline. */
  vectorOf(text: string, signal: AbortSignalLike): Promise<Float32Array>
  /** Lets every deadline pass now: what the questions wait for takes longer. */
  endWaits(): void
}

export interface QuestionVectorDeps {
  readonly embedder: Embedder
  readonly health: EmbedHealth
  readonly scheduler: Scheduler
  readonly deadlineMs: number
  /** Masks secrets: the embedder may be on another machine. */
  masked(question: string): string
}

const maxCachedVectors = 256
/** Why an embedder with `isLoaded` false does not answer, in a sentence for a person. */
export const notLoaded = 'Its table is not loaded yet.'

export function createQuestionVectors(deps: QuestionVectorDeps): QuestionVectors {
  const { embedder, health, scheduler, deadlineMs } = deps
  /** By model and text; the last used comes last. */
  const cache = new Map<string, Float32Array>()
  const waits = new Set<Deadline>()
  const isUnloaded = () => embedder.isLoaded === false

  const embedAndCache = async (key: string, text: string, signal: AbortSignalLike): Promise<Float32Array> => {
    const [vector] = await embedder.embed([text], 'question', signal)
    if (!vector) throw new DaybookError('embedder-failed')
    health.recordSuccess()
    cache.set(key, vector)
    if (cache.size > maxCachedVectors) cache.delete(cache.keys().next().value ?? '')
    return vector
  }

  return {
    async vectorOf(question, signal) {
      const text = deps.masked(question)
      const key = `${embedder.provider}|${embedder.model}|${text}`
      const cached = cache.get(key)
      if (cached) {
        cache.delete(key)
        cache.set(key, cached)
        return cached
      }
      if (health.pauseLeftMs() > 0)
        throw new DaybookError('embedder-failed', health.lastError()?.message ?? '')
      checkAborted(signal)
      const deadline = createDeadline(signal, scheduler, deadlineMs)
      waits.add(deadline)
      try {
        return await orAborted(embedAndCache(key, text, deadline.signal), deadline.signal)
      } catch (error) {
        const isLate = deadline.isOver()
        const reason = isLate
          ? new DaybookError(
              'embedder-failed',
              embedder.waiting ??
                (isUnloaded() ? notLoaded : `The vector of the question took longer than ${deadlineMs} ms.`),
            )
          : toDaybookError(error)
        // Neither an abort by the caller nor a model that is still loading is a failure of the embedder.
        const isLoading = isLate && (embedder.loading !== undefined || isUnloaded())
        if (!isLoading && (isLate || !deadline.signal.aborted)) health.recordFailure(reason)
        throw reason
      } finally {
        deadline.end()
        waits.delete(deadline)
      }
    },
    endWaits() {
      for (const deadline of waits) deadline.expire()
    },
  }
}
