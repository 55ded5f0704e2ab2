// An embedder with a model on this machine, in its own worker, so that neither page nor engine waits for it.
// Invariants: the model loads once, and never twice at a time; a failed, hanging or dead worker is replaced by the
// next load; every call is answered, cancelled or failed.
import { type AbortSignalLike, checkAborted, orAborted } from '../../core/abort.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Embedder, EmbedPurpose, Scheduler } from '../../core/ports.ts'
import { normalise } from '../../store/vector/quantise.ts'
import { maxDimensions } from './embed-fetch.ts'
import { type LocalEmbedderOptions, defaultModelWeight, modelNameOf } from './embedder-options.ts'
import type { ModelResponse, ModelChoice, ModelHost, ModelWorker } from './model-message.ts'

export interface LocalEmbedderDeps {
  readonly host: ModelHost
  readonly scheduler: Scheduler
  /** Called when the loading progress changes. */
  readonly onLoading?: (() => void) | undefined
}

interface PendingCall {
  /** Number of its texts. */
  readonly count: number
  resolve(vectors: Float32Array[]): void
  reject(error: DaybookError): void
}

/**
 * A download without progress for this long fails; the next call starts it again and keeps the cached files.
 */
const stallTimeoutMs = 120_000
const defaultDeadlineMs = 120_000

export class LocalEmbedder implements Embedder {
  readonly provider = 'local'
  readonly model: string
  /** Most texts of one call. */
  readonly batch = 16
  /** Cosine similarity below which a record is no hit. Undefined: recall takes outstanding ones. */
  readonly minSimilarity: number | undefined
  /** Weight in the fusion of recall; full text has 1. */
  readonly weight: number
  readonly #options: LocalEmbedderOptions
  readonly #host: ModelHost
  readonly #scheduler: Scheduler
  readonly #onLoading: () => void
  readonly #calls = new Map<number, PendingCall>()
  #worker: ModelWorker | undefined
  /** Set from the start of the load until the worker ends. */
  #loadPromise: Promise<void> | undefined
  #isReady = false
  /** In bytes; undefined while nothing loads. */
  #loadProgress: { readonly done: number; readonly total: number } | undefined
  /** Ends the pending load; with an error, it fails. */
  #endLoad: ((error?: DaybookError) => void) | undefined
  #cancelStallTimer: (() => void) | undefined
  #lastCallNumber = 0
  #dimensions: number | undefined
  #isClosed = false

  constructor(
    options: LocalEmbedderOptions,
    { host, scheduler, onLoading = () => undefined }: LocalEmbedderDeps,
  ) {
    this.#options = options
    this.#host = host
    this.#scheduler = scheduler
    this.#onLoading = onLoading
    this.model = modelNameOf(modelVariantName(options), options.documentPrefix)
    this.minSimilarity = options.minSimilarity
    this.weight = options.weight ?? defaultModelWeight
  }

  get dimensions(): number | undefined {
    return this.#dimensions
  }

  get waiting(): string | undefined {
    if (this.#isReady) return undefined
    if (!this.#loadProgress) return 'Its model is not loaded yet.'
    const { done, total } = this.#loadProgress
    return `Its model is being loaded${total > 0 ? `: ${megabytes(done)} of ${megabytes(total)} MB` : ''}.`
  }

  get loading(): { readonly done: number; readonly total: number } | undefined {
    return this.#loadProgress
  }

  prepare(): false | Promise<void> {
    return this.#isReady || this.#isClosed ? false : this.#load()
  }

  async embed(
    texts: readonly string[],
    purpose: EmbedPurpose,
    signal: AbortSignalLike,
  ): Promise<Float32Array[]> {
    if (this.#isClosed) throw new DaybookError('aborted')
    checkAborted(signal)
    const isQuestion = purpose === 'question'
    await orAborted(this.#load(), signal)
    checkAborted(signal)
    const { questionPrefix = '', documentPrefix = '' } = this.#options
    const prefix = isQuestion ? questionPrefix : documentPrefix
    const prefixed = texts.map((text) => prefix + text)
    const vectors = await this.#postTexts(prefixed, isQuestion, signal)
    this.#dimensions = vectors[0]?.length ?? this.#dimensions
    return vectors
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#endWorker(new DaybookError('aborted'))
  }

  /** Ends the worker; everything that waits for it fails with `error`. */
  #endWorker(error: DaybookError): void {
    this.#worker?.end()
    this.#worker = undefined
    this.#loadPromise = undefined
    this.#loadProgress = undefined
    this.#isReady = false
    this.#cancelStallTimer?.()
    this.#endLoad?.(error)
    for (const { reject } of this.#calls.values()) reject(error)
  }

  #restartStallTimer(): void {
    this.#cancelStallTimer?.()
    this.#cancelStallTimer = this.#scheduler.later(stallTimeoutMs, () =>
      this.#endWorker(embedderFailed('Loading its model has come to a halt.')),
    )
  }

  #receive(answer: ModelResponse): void {
    if (answer.type === 'loading') {
      this.#restartStallTimer()
      this.#loadProgress = { done: answer.done, total: answer.total }
      return this.#onLoading()
    }
    if (answer.type === 'loaded') return this.#endLoad?.()
    if (answer.type === 'not-loaded') return this.#endWorker(DaybookError.from(answer.error))
    const call = this.#calls.get(answer.number)
    if (!call) return
    if (answer.type === 'failed') return call.reject(DaybookError.from(answer.error))
    try {
      call.resolve(toUnitVectors(answer, call.count))
    } catch (error) {
      call.reject(toDaybookError(error))
    }
  }

  #load(): Promise<void> {
    return (this.#loadPromise ??= this.#startWorker())
  }

  async #startWorker(): Promise<void> {
    this.#loadProgress = { done: 0, total: 0 }
    this.#onLoading()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const settle = (error?: DaybookError) => {
      this.#endLoad = undefined
      this.#cancelStallTimer?.()
      if (error) reject(error)
      else resolve()
    }
    this.#endLoad = settle
    this.#restartStallTimer()
    this.#host
      .startWorker(
        (answer) => this.#receive(answer),
        (why) => this.#endWorker(embedderFailed(why)),
      )
      .then(
        (started) => {
          // Cancelled before it started.
          if (this.#endLoad !== settle) return started.end()
          this.#worker = started
          started.post({ type: 'load', choice: toModelChoice(this.#options) })
        },
        (error: unknown) => this.#endWorker(toDaybookError(error)),
      )
    await promise
    this.#isReady = true
    this.#loadProgress = undefined
    this.#onLoading()
  }

  #postTexts(
    texts: readonly string[],
    isQuestion: boolean,
    signal: AbortSignalLike,
  ): Promise<Float32Array[]> {
    const { deadlineMs = defaultDeadlineMs } = this.#options
    return new Promise((resolve, reject) => {
      const number = ++this.#lastCallNumber
      const end = () => {
        this.#calls.delete(number)
        cancelDeadline()
        signal.removeEventListener('abort', abort)
      }
      const abort = () => {
        this.#worker?.post({ type: 'abort', number })
        this.#calls.get(number)?.reject(new DaybookError('aborted', undefined, { cause: signal.reason }))
      }
      const cancelDeadline = this.#scheduler.later(deadlineMs, () =>
        this.#endWorker(embedderFailed(`Its model gave no answer within ${deadlineMs} ms.`)),
      )
      this.#calls.set(number, {
        count: texts.length,
        resolve(vectors) {
          end()
          resolve(vectors)
        },
        reject(error) {
          end()
          reject(error)
        },
      })
      signal.addEventListener('abort', abort, { once: true })
      this.#worker?.post({ type: 'embed', number, texts, isQuestion })
    })
  }
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
const embedderFailed = (message: string) => new DaybookError('embedder-failed', message)

const defaultDtype = 'q8'
const defaultPooling = 'mean'

/** All options that change the vectors. */
function modelVariantName({
  model,
  revision,
  dtype = defaultDtype,
  pooling = defaultPooling,
}: LocalEmbedderOptions) {
  return `${model}${revision === undefined ? '' : `@${revision}`} ${dtype} ${pooling}`
}

function toModelChoice(options: LocalEmbedderOptions): ModelChoice {
  const { model, revision, device, path, cache, wasm, runtime } = options
  const { dtype = defaultDtype, pooling = defaultPooling, offline = false } = options
  return { model, revision, device, path, cache, wasm, runtime, dtype, pooling, offline }
}

function toUnitVectors(
  { numbers, dimensions }: Extract<ModelResponse, { type: 'vectors' }>,
  count: number,
): Float32Array[] {
  const invalidAnswer = (message: string) => new DaybookError('embedder-failed', message, { retry: false })
  if (dimensions < 1 || dimensions > maxDimensions || numbers.length !== count * dimensions)
    throw invalidAnswer(`Its model gave ${numbers.length} numbers for ${count} texts, ${dimensions} each.`)
  return Array.from({ length: count }, (_, i) => {
    const unit = normalise(numbers.subarray(i * dimensions, (i + 1) * dimensions))
    if (!unit) throw invalidAnswer('Its model gave a vector with numbers that are not finite.')
    return unit
  })
}
