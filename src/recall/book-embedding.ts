// The embedder of a book with everything around it: the task behind the writes, the leg of recall, the state it is in.
import { type AbortSignalLike, checkAborted, createAbort } from '../core/abort.ts'
import type { EmbedStatus } from '../core/capability/status.ts'
import type { SpaceVector } from '../core/capability/port/recall-port.ts'
import type { Embedder, Ports } from '../core/ports.ts'
import type { Progress } from '../core/capability/progress.ts'
import type { BookStore } from '../store/book-store.ts'
import { fingerprintOf } from '../store/vector/vector-space.ts'
import type { Leg } from './leg.ts'
import type { Without } from './part.ts'
import { createVectorLeg } from './vector-leg.ts'
import type { EmbedderSource } from './embed/embedder-source.ts'
import { createEmbedHealth } from './embed/embed-health.ts'
import { createEmbedTask } from './embed/embed-task.ts'
import { createQuestionVectors } from './embed/question-vector.ts'

export interface BookEmbedding {
  readonly leg: Leg<'vector'>
  /** Something may be to embed. */
  wake(): void
  status(): EmbedStatus
  /** Why recall is without vectors, or has not all of them; undefined when nothing is wrong. */
  degraded(): string | undefined
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
  /** The vector of a question within the deadline of recall; undefined when there is none in time. */
  question(text: string, signal: AbortSignalLike): Promise<SpaceVector | undefined>
  stop(): void
}

export interface BookEmbeddingParts {
  readonly store: BookStore
  readonly ports: Ports
  readonly source: EmbedderSource
  readonly tell: (progress: Progress & { readonly capability: string }) => void
  /** What is degraded may have changed. */
  readonly onState: () => void
  /** Parts of recall to go without, for an evaluation. */
  readonly without?: Without | undefined
}

const defaultQuestionDeadlineMs = 800
/** Counting all records takes a while, so the book shows its progress this often, and at the end. */
const tellEveryMs = 500

export function createBookEmbedding({
  store,
  ports,
  source,
  tell,
  onState,
  without,
}: BookEmbeddingParts): BookEmbedding {
  const { clock, scheduler, log } = ports
  const { vectors, models } = store
  const onLoading = () => {
    const { done, total } = embedder.loading ?? { done: 0, total: 0 }
    if (total > 0) tell({ done, total, what: 'Bytes of the model', capability: 'embed:texts' })
    onState()
  }
  const embedder = source.open({ models, clock, onLoading })
  const health = createEmbedHealth(clock, onState)
  const stopped = createAbort()
  const deadlineMs = source.questionDeadlineMs ?? defaultQuestionDeadlineMs
  const questions = createQuestionVectors({ embedder, health, scheduler, deadlineMs })
  let shownAt = 0
  let shown = ''
  const task = createEmbedTask({
    vectors,
    embedder,
    health,
    clock,
    scheduler,
    log,
    onProgress() {
      if (vectors.missing() > 0 && clock.now() - shownAt < tellEveryMs) return
      shownAt = clock.now()
      const now = status()
      if (shown === `${now.embedded}/${now.total}`) return
      shown = `${now.embedded}/${now.total}`
      const { embedded: done, total } = now
      tell({
        done,
        total,
        what: 'Records with a vector',
        capability: 'embed:status',
      })
    },
  })

  const status = (): EmbedStatus => {
    const { total, embedded, refused, bytes, kernel, overflow } = vectors.state()
    const fingerprint = vectors.fingerprint()
    const lastError = health.lastError()
    const behind = Math.max(0, total - embedded - refused) + store.projection.behind()
    const why =
      embedder.waiting ??
      (overflow > 0 ? `${overflow} vectors do not fit into memory and are not searched.` : undefined)
    return {
      provider: embedder.provider,
      model: embedder.model,
      ...(fingerprint === undefined ? {} : { fingerprint }),
      state: stateOf(embedder, lastError, behind),
      ...(why === undefined ? {} : { why }),
      total,
      embedded,
      behind,
      refused,
      bytes,
      ...(lastError ? { lastError } : {}),
      ...(kernel ? { scan: kernel } : {}),
    }
  }

  const degraded = () => {
    const error = health.lastError()
    if (error) return `vectors: ${error.message}`
    return embedder.loading && `vectors: ${embedder.waiting ?? ''}`
  }

  return {
    leg: createVectorLeg({ store, embedder, questions, behind: vectors.missing, degraded, without }),
    wake: task.wake,
    status,
    degraded,
    embed: (texts) => embedder.embed(texts, 'document', stopped.signal),
    async question(text, signal) {
      if (embedder.waiting !== undefined) return undefined
      try {
        const vector = await questions.of(text, signal)
        const { provider, model } = embedder
        return { space: fingerprintOf({ provider, model, dimensions: vector.length }), vector }
      } catch {
        checkAborted(signal)
        return undefined
      }
    },
    stop() {
      stopped.abort()
      task.stop()
    },
  }
}

function stateOf({ waiting, loading }: Embedder, lastError: object | undefined, behind: number) {
  if (lastError && !loading) return 'failing'
  if (waiting !== undefined) return 'waiting'
  return behind > 0 ? 'working' : 'ready'
}

/** What a book without an embedder says. */
export const noEmbedding: EmbedStatus = {
  provider: 'none',
  state: 'off',
  total: 0,
  embedded: 0,
  behind: 0,
  refused: 0,
  bytes: 0,
}
