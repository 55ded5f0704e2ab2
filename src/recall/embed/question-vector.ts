// The vector of a question, in time: remembered when it was asked before, given up when the embedder is slow.
// Invariant: it never waits longer than the deadline, nor for an embedder that has just failed.
import { type AbortSignalLike, createAbort } from '../../core/abort.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Embedder, Scheduler } from '../../core/ports.ts'
import type { EmbedHealth } from './embed-health.ts'

export interface QuestionVectors {
  /** The vector of `text`. Throws what the embedder threw, or `deadline-exceeded`. */
  of(text: string, signal: AbortSignalLike): Promise<Float32Array>
}

export interface QuestionVectorParts {
  readonly embedder: Embedder
  readonly health: EmbedHealth
  readonly scheduler: Scheduler
  readonly deadlineMs: number
}

const rememberLimit = 256

export function createQuestionVectors(parts: QuestionVectorParts): QuestionVectors {
  const { embedder, health, scheduler, deadlineMs } = parts
  /** By model and text, the one asked last at the end. */
  const remembered = new Map<string, Float32Array>()

  const ask = async (key: string, text: string, signal: AbortSignalLike): Promise<Float32Array> => {
    const [vector] = await embedder.embed([text], 'question', signal)
    if (!vector) throw new DaybookError('embedder-failed')
    health.succeeded()
    remembered.set(key, vector)
    if (remembered.size > rememberLimit) remembered.delete(remembered.keys().next().value ?? '')
    return vector
  }

  return {
    async of(text, signal) {
      const key = `${embedder.provider}|${embedder.model}|${text}`
      const known = remembered.get(key)
      if (known) {
        remembered.delete(key)
        remembered.set(key, known)
        return known
      }
      if (health.restMs() > 0) throw new DaybookError('embedder-failed', health.lastError()?.message ?? '')
      const late = createAbort()
      const stop = () => late.abort()
      signal.addEventListener('abort', stop, { once: true })
      return new Promise<Float32Array>((resolve, reject) => {
        const cancel = scheduler.later(deadlineMs, () => {
          const error = new DaybookError('deadline-exceeded', `It took longer than ${deadlineMs} ms.`)
          health.failed(error)
          late.abort(error)
          reject(error)
        })
        ask(key, text, late.signal)
          .then(resolve, (error: unknown) => {
            if (!late.signal.aborted) health.failed(error)
            reject(toDaybookError(error))
          })
          .finally(() => {
            cancel()
            signal.removeEventListener('abort', stop)
          })
      })
    },
  }
}
