// An embedder with a model on this machine, in its own worker, so that neither page nor engine waits for it.
// Invariants: the model loads once, and never twice at a time; a failed, hanging or dead worker is replaced by the
// next load; every call is answered, cancelled or failed.
import { type AbortSignalLike, checkAborted, orAborted } from '../../core/abort.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Embedder, EmbedPurpose, Scheduler } from '../../core/ports.ts'
import { normalise } from '../../store/vector/quantise.ts'
import { dimensionLimit } from './embed-fetch.ts'
import { type LocalEmbedderOptions, modelWeight, modelNameOf } from './embedder-options.ts'
import type { ModelAnswer, ModelChoice, ModelHost, ModelLink } from './model-message.ts'

export interface LocalEmbedderParts {
  readonly host: ModelHost
  readonly scheduler: Scheduler
  /** Called when the loading progress changes. */
  readonly onLoading?: (() => void) | undefined
}

interface Call {
  readonly count: number
  resolve(vectors: Float32Array[]): void
  reject(error: DaybookError): void
}

/**
 * A download without progress for this long fails; the next call starts it again and keeps the cached files.
 */
const stallMs = 120_000
const defaultDeadlineMs = 120_000

export class LocalEmbedder implements Embedder {
  readonly provider = 'local'
  readonly model: string
  readonly batch = 16
  readonly minSimilarity: number | undefined
  readonly weight: number
  readonly #options: LocalEmbedderOptions
  readonly #host: ModelHost
  readonly #scheduler: Scheduler
  readonly #onLoading: () => void
  readonly #calls = new Map<number, Call>()
  #link: ModelLink | undefined
  #loaded: Promise<void> | undefined
  #isReady = false
  #loading: { readonly done: number; readonly total: number } | undefined
  #settleLoad: ((error?: DaybookError) => void) | undefined
  #cancelStall: (() => void) | undefined
  #lastCall = 0
  #dimensions: number | undefined
  #closed = false

  constructor(
    options: LocalEmbedderOptions,
    { host, scheduler, onLoading = () => undefined }: LocalEmbedderParts,
  ) {
    this.#options = options
    this.#host = host
    this.#scheduler = scheduler
    this.#onLoading = onLoading
    this.model = modelNameOf(nameOf(options), options.documentPrefix)
    this.minSimilarity = options.minSimilarity
    this.weight = options.weight ?? modelWeight
  }

  get dimensions(): number | undefined {
    return this.#dimensions
  }

  get waiting(): string | undefined {
    if (this.#isReady) return undefined
    if (!this.#loading) return 'Its model is not loaded yet.'
    const { done, total } = this.#loading
    return `Its model is being loaded${total > 0 ? `: ${sizeOf(done)} of ${sizeOf(total)} MB` : ''}.`
  }

  get loading(): { readonly done: number; readonly total: number } | undefined {
    return this.#loading
  }

  prepare(): false | Promise<void> {
    return this.#isReady || this.#closed ? false : this.#load()
  }

  async embed(
    texts: readonly string[],
    purpose: EmbedPurpose,
    signal: AbortSignalLike,
  ): Promise<Float32Array[]> {
    if (this.#closed) throw new DaybookError('aborted')
    checkAborted(signal)
    const isQuestion = purpose === 'question'
    await orAborted(this.#load(), signal)
    checkAborted(signal)
    const { questionPrefix = '', documentPrefix = '' } = this.#options
    const prefix = isQuestion ? questionPrefix : documentPrefix
    const prefixed = texts.map((text) => prefix + text)
    const vectors = await this.#ask(prefixed, isQuestion, signal)
    this.#dimensions = vectors[0]?.length ?? this.#dimensions
    return vectors
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#lose(new DaybookError('aborted'))
  }

  /** Ends the worker; everything that waits for it fails with `error`. */
  #lose(error: DaybookError): void {
    this.#link?.end()
    this.#link = undefined
    this.#loaded = undefined
    this.#loading = undefined
    this.#isReady = false
    this.#cancelStall?.()
    this.#settleLoad?.(error)
    for (const { reject } of this.#calls.values()) reject(error)
  }

  #watchStall(): void {
    this.#cancelStall?.()
    this.#cancelStall = this.#scheduler.later(stallMs, () =>
      this.#lose(failure('Loading its model has come to a halt.')),
    )
  }

  #receive(answer: ModelAnswer): void {
    if (answer.type === 'loading') {
      this.#watchStall()
      this.#loading = { done: answer.done, total: answer.total }
      return this.#onLoading()
    }
    if (answer.type === 'loaded') return this.#settleLoad?.()
    if (answer.type === 'not-loaded') return this.#lose(DaybookError.from(answer.error))
    const call = this.#calls.get(answer.number)
    if (!call) return
    if (answer.type === 'failed') return call.reject(DaybookError.from(answer.error))
    try {
      call.resolve(readVectors(answer, call.count))
    } catch (error) {
      call.reject(toDaybookError(error))
    }
  }

  #load(): Promise<void> {
    return (this.#loaded ??= this.#begin())
  }

  async #begin(): Promise<void> {
    this.#loading = { done: 0, total: 0 }
    this.#onLoading()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const settle = (error?: DaybookError) => {
      this.#settleLoad = undefined
      this.#cancelStall?.()
      if (error) reject(error)
      else resolve()
    }
    this.#settleLoad = settle
    this.#watchStall()
    this.#host
      .start(
        (answer) => this.#receive(answer),
        (why) => this.#lose(failure(why)),
      )
      .then(
        (started) => {
          // Cancelled before it started.
          if (this.#settleLoad !== settle) return started.end()
          this.#link = started
          started.post({ type: 'load', choice: choiceOf(this.#options) })
        },
        (error: unknown) => this.#lose(toDaybookError(error)),
      )
    await promise
    this.#isReady = true
    this.#loading = undefined
    this.#onLoading()
  }

  #ask(texts: readonly string[], isQuestion: boolean, signal: AbortSignalLike): Promise<Float32Array[]> {
    const { deadlineMs = defaultDeadlineMs } = this.#options
    return new Promise((resolve, reject) => {
      const number = ++this.#lastCall
      const end = () => {
        this.#calls.delete(number)
        cancelDeadline()
        signal.removeEventListener('abort', abort)
      }
      const abort = () => {
        this.#link?.post({ type: 'abort', number })
        this.#calls.get(number)?.reject(new DaybookError('aborted', undefined, { cause: signal.reason }))
      }
      const cancelDeadline = this.#scheduler.later(deadlineMs, () =>
        this.#lose(failure(`Its model gave no answer within ${deadlineMs} ms.`)),
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
      this.#link?.post({ type: 'embed', number, texts, isQuestion })
    })
  }
}

const sizeOf = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
const failure = (message: string) => new DaybookError('embedder-failed', message)

const defaultDtype = 'q8'
const defaultPooling = 'mean'

/** All options that change the vectors. */
function nameOf({ model, revision, dtype = defaultDtype, pooling = defaultPooling }: LocalEmbedderOptions) {
  return `${model}${revision === undefined ? '' : `@${revision}`} ${dtype} ${pooling}`
}

function choiceOf(options: LocalEmbedderOptions): ModelChoice {
  const { model, revision, device, path, cache, wasm, runtime } = options
  const { dtype = defaultDtype, pooling = defaultPooling, offline = false } = options
  return { model, revision, device, path, cache, wasm, runtime, dtype, pooling, offline }
}

function readVectors(
  { numbers, dimensions }: Extract<ModelAnswer, { type: 'vectors' }>,
  count: number,
): Float32Array[] {
  const wrong = (message: string) => new DaybookError('embedder-failed', message, { retry: false })
  if (dimensions < 1 || dimensions > dimensionLimit || numbers.length !== count * dimensions)
    throw wrong(`Its model gave ${numbers.length} numbers for ${count} texts, ${dimensions} each.`)
  return Array.from({ length: count }, (_, i) => {
    const unit = normalise(numbers.subarray(i * dimensions, (i + 1) * dimensions))
    if (!unit) throw wrong('Its model gave a vector with numbers that are not finite.')
    return unit
  })
}
