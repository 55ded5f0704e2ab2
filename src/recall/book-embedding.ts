// The embedder of a book: the task that embeds new records, the vector leg of recall, and the status.
import { type AbortSignalLike, checkAborted, createAbort } from '../core/abort.ts'
import type { EmbedStatus } from '../core/capability/status.ts'
import type { SpaceVector } from '../core/capability/port/recall-port.ts'
import type { Embedder, Ports } from '../core/ports.ts'
import type { Progress } from '../core/capability/task.ts'
import { defined } from '../core/defined.ts'
import type { BookStore } from '../store/book-store.ts'
import { fingerprintOf, fingerprintPrefix } from '../store/vector/vector-space.ts'
import type { Leg } from './leg.ts'
import type { RecallPartSet } from './part.ts'
import { createVectorLeg } from './vector-leg.ts'
import type { EmbedderSource } from './embed/create-embedder.ts'
import { createEmbedHealth, type EmbedHealth } from './embed/embed-health.ts'
import { EmbedTask } from './embed/embed-task.ts'
import { createQuestionVectors, notLoaded } from './embed/question-vector.ts'

export interface BookEmbedding {
  readonly embedder: Pick<
    Embedder,
    'minSimilarity' | 'loading' | 'isCentred' | 'isOwnLanguage' | 'knows' | 'needsOtherAnswer' | 'waiting'
  >
  readonly vectors: BookStore['vectors']
  readonly leg: Leg<'vector'>
  /** Looks for records to embed. */
  wake(): void
  status(): EmbedStatus
  /** Why recall lacks some or all vectors; undefined if it lacks none. */
  degradedReason(): string | undefined
  embed(texts: readonly string[]): Promise<readonly Float32Array[]>
  /**
   * The vector of a question, with its space (provider, model and dimensions; vectors of one space are comparable).
   * Undefined if the embedder waits, fails or misses the deadline. Rejects if aborted.
   */
  embedQuestion(text: string, signal: AbortSignalLike): Promise<SpaceVector | undefined>
  stop(): void
}

export interface BookEmbeddingDeps {
  readonly store: BookStore
  readonly ports: Ports
  readonly source: EmbedderSource
  readonly emitProgress: (progress: Progress & { readonly capability: string }) => void
  /** Called when `degradedReason` may have changed. */
  readonly onStateChange: () => void
  /** Masks the secrets of a question. */
  readonly masked: (question: string) => string
  /** Parts of recall to leave out, for an evaluation. */
  readonly withoutParts?: RecallPartSet | undefined
}

const defaultQuestionDeadlineMs = 800
/** Counting all records takes a while, so progress is reported this often, and at the end. */
const reportIntervalMs = 500

export function createBookEmbedding(deps: BookEmbeddingDeps): BookEmbedding {
  const { store, ports, source, emitProgress, onStateChange, masked, withoutParts } = deps
  const { clock, scheduler, log } = ports
  const { vectors, models } = store
  const onLoading = () => {
    const { done, total } = embedder.loading ?? { done: 0, total: 0 }
    if (total > 0) emitProgress({ done, total, subject: 'Bytes of the model', capability: 'embed:texts' })
    onStateChange()
    // It comes from afar, or can't come now. A time that the app sets stays.
    if (embedder.loading && source.questionDeadlineMs === undefined) questionVectors.endWaits()
    // A recall that did not wait for the model may have another answer now.
    if (!embedder.loading && !abort.signal.aborted) onProgress(true)
  }
  const embedder = source.open({ models, clock, fingerprint: () => vectors.fingerprint(), onLoading })
  const health = createEmbedHealth(clock, onStateChange)
  const abort = createAbort()
  const deadlineMs = source.questionDeadlineMs ?? defaultQuestionDeadlineMs
  const questionVectors = createQuestionVectors({ embedder, health, scheduler, deadlineMs, masked })
  const status = () => embedStatusOf(store, embedder, health)
  let reportedAt = 0
  let lastReport = ''
  const onProgress = (isNews: boolean) => {
    if (vectors.missingCount() > 0 && clock.now() - reportedAt < reportIntervalMs) return
    reportedAt = clock.now()
    const { embedded: done, total } = status()
    if (!isNews && lastReport === `${done}/${total}`) return
    lastReport = `${done}/${total}`
    emitProgress({ done, total, subject: 'Records with a vector', capability: 'embed:status' })
  }
  const task = new EmbedTask({ store, embedder, health, clock, scheduler, log, onProgress })
  const lack = () => {
    if (!task.isBehind()) return undefined
    const { behind } = status()
    const unread = vectors.unreadCount()
    if (unread > 0)
      return `vectors: ${unread === 1 ? 'that of 1 record is' : `those of ${unread} records are`} not loaded yet.`
    return behind > 0
      ? `vectors: ${behind === 1 ? '1 record has' : `${behind} records have`} none yet.`
      : undefined
  }
  const degradedReason = () => {
    const error = health.lastError()
    if (error) return `vectors: ${error.message}`
    return embedder.loading && `vectors: ${embedder.waiting ?? ''}`
  }

  return {
    embedder,
    vectors,
    leg: createVectorLeg({
      store,
      embedder,
      questions: questionVectors,
      catchUp: () => task.catchUp(),
      lack,
      degradedReason,
      withoutParts,
    }),
    wake: () => task.wake(),
    status,
    degradedReason,
    embed: (texts) => embedder.embed(texts, 'document', abort.signal),
    async embedQuestion(text, signal) {
      if (embedder.waiting !== undefined) return undefined
      try {
        const vector = await questionVectors.vectorOf(text, signal)
        const { provider, model } = embedder
        return { space: fingerprintOf({ provider, model, dimensions: vector.length }), vector }
      } catch {
        checkAborted(signal)
        return undefined
      }
    },
    stop() {
      abort.abort()
      task.stop()
    },
  }
}

/** Without a connection a page can't load the code of an embedder: that is no fault of it. */
const isCodeMissing = (lastError: EmbedStatus['lastError']) => lastError?.code === 'part-unavailable'

const codeMissing =
  'The code of this embedder could not be loaded; the connection may be down. It is tried again by itself; words answer meanwhile.'

function embedStatusOf(
  { vectors, projection }: BookStore,
  embedder: Embedder,
  health: EmbedHealth,
): EmbedStatus {
  const { total, embedded, refused, bytes, kernel, overflow, blank } = vectors.state()
  const stored = vectors.fingerprint()
  // The vectors of an earlier embedder stay until this one makes its first.
  const fingerprint = stored?.startsWith(fingerprintPrefix(embedder)) === true ? stored : undefined
  const lastError = health.lastError()
  const behind = Math.max(0, total - embedded - refused) + projection.lagCount()
  const faults = [
    overflow > 0 ? `${overflow} vectors do not fit into memory and are not searched.` : '',
    blank > 0
      ? `${blank} ${blank === 1 ? 'record is' : 'records are'} found by words only: the embedder knows too little of the text, or there is none.`
      : '',
  ].filter((fault) => fault !== '')
  if (embedder.isLoaded === false && total > 0) faults.unshift(notLoaded)
  const why = isCodeMissing(lastError)
    ? codeMissing
    : (embedder.waiting ?? (faults.length > 0 ? faults.join(' ') : undefined))
  return {
    provider: embedder.provider,
    model: embedder.model,
    ...defined({ fingerprint }),
    state: embedStateOf(embedder, lastError, { total, behind }),
    ...defined({ why }),
    total,
    embedded,
    behind,
    refused,
    bytes,
    ...(lastError ? { lastError } : {}),
    ...(kernel ? { scan: kernel } : {}),
  }
}

function embedStateOf(
  { waiting, loading, isLoaded }: Embedder,
  lastError: EmbedStatus['lastError'],
  { total, behind }: Pick<EmbedStatus, 'total' | 'behind'>,
) {
  if (lastError && !loading) return isCodeMissing(lastError) ? 'waiting' : 'failing'
  if (waiting !== undefined) return 'waiting'
  // In a book without texts the model is not needed.
  return behind > 0 || (isLoaded === false && total > 0) ? 'working' : 'ready'
}

/** The status of a book without an embedder. */
export const noEmbedding: EmbedStatus = {
  provider: 'none',
  state: 'off',
  total: 0,
  embedded: 0,
  behind: 0,
  refused: 0,
  bytes: 0,
}
