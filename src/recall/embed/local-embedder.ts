// An embedder whose model runs on this machine, in a worker of its own, so that neither page nor engine ever waits for it.
// Invariants: the model is loaded once and at most once at a time; a worker that failed, hangs or is gone is replaced by
// the next load; every call is answered, given up or failed.
import { type AbortSignalLike, checkAborted, orAborted } from '../../core/abort.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Embedder, EmbedPurpose, Scheduler } from '../../core/ports.ts'
import { normalise } from '../../store/vector/quantise.ts'
import { dimensionLimit } from './embed-fetch.ts'
import { type LocalEmbedderOptions, modelWeight, spaceOf } from './embedder-options.ts'
import type { ModelAnswer, ModelChoice, ModelHost, ModelLink } from './model-message.ts'

export interface LocalEmbedderParts {
  readonly host: ModelHost
  readonly scheduler: Scheduler
  /** How far the model is loaded has changed. */
  readonly onLoading?: (() => void) | undefined
}

interface Call {
  readonly count: number
  resolve(vectors: Float32Array[]): void
  reject(error: DaybookError): void
}

const batch = 16
/** A download that has not moved for this long is begun anew; what was cached of it stays. */
const stallMs = 120_000
const defaultDeadlineMs = 120_000

export function createLocalEmbedder(
  options: LocalEmbedderOptions,
  { host, scheduler, onLoading = () => undefined }: LocalEmbedderParts,
): Embedder {
  const { documentPrefix = '', questionPrefix = '', deadlineMs = defaultDeadlineMs } = options
  const calls = new Map<number, Call>()
  let link: ModelLink | undefined
  let loaded: Promise<void> | undefined
  let isReady = false
  let loading: { readonly done: number; readonly total: number } | undefined
  let settleLoad: ((error?: DaybookError) => void) | undefined
  let stall: (() => void) | undefined
  let number = 0
  let dimensions: number | undefined
  let closed = false

  /** Ends the worker; whatever waits for it fails with `error`. */
  const lose = (error: DaybookError) => {
    link?.end()
    link = undefined
    loaded = undefined
    loading = undefined
    isReady = false
    stall?.()
    settleLoad?.(error)
    for (const { reject } of calls.values()) reject(error)
  }

  const watch = () => {
    stall?.()
    stall = scheduler.later(stallMs, () => lose(failure('Loading its model has come to a halt.')))
  }

  const hear = (answer: ModelAnswer) => {
    if (answer.type === 'loading') {
      watch()
      loading = { done: answer.done, total: answer.total }
      return onLoading()
    }
    if (answer.type === 'loaded') return settleLoad?.()
    if (answer.type === 'not-loaded') return lose(DaybookError.from(answer.error))
    const call = calls.get(answer.number)
    if (!call) return
    if (answer.type === 'failed') return call.reject(DaybookError.from(answer.error))
    try {
      call.resolve(read(answer, call.count))
    } catch (error) {
      call.reject(toDaybookError(error))
    }
  }

  const begin = async () => {
    loading = { done: 0, total: 0 }
    onLoading()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const settle = (error?: DaybookError) => {
      settleLoad = undefined
      stall?.()
      if (error) reject(error)
      else resolve()
    }
    settleLoad = settle
    watch()
    host
      .start(hear, (why) => lose(failure(why)))
      .then(
        (started) => {
          // Given up before it was there.
          if (settleLoad !== settle) return started.end()
          link = started
          link.post({ type: 'load', choice: choiceOf(options) })
        },
        (error: unknown) => lose(toDaybookError(error)),
      )
    await promise
    isReady = true
    loading = undefined
    onLoading()
  }

  const load = () => (loaded ??= begin())

  const ask = (texts: readonly string[], isQuestion: boolean, signal: AbortSignalLike) =>
    new Promise<Float32Array[]>((resolve, reject) => {
      const own = ++number
      const end = () => {
        calls.delete(own)
        cancel()
        signal.removeEventListener('abort', giveUp)
      }
      const giveUp = () => {
        link?.post({ type: 'abort', number: own })
        calls.get(own)?.reject(new DaybookError('aborted', undefined, { cause: signal.reason }))
      }
      const cancel = scheduler.later(deadlineMs, () =>
        lose(failure(`Its model gave no answer within ${deadlineMs} ms.`)),
      )
      calls.set(own, {
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
      signal.addEventListener('abort', giveUp, { once: true })
      link?.post({ type: 'embed', number: own, texts, isQuestion })
    })

  return {
    provider: 'local',
    model: spaceOf(nameOf(options), documentPrefix),
    get dimensions() {
      return dimensions
    },
    batch,
    minSimilarity: options.minSimilarity,
    weight: options.weight ?? modelWeight,
    get waiting() {
      if (isReady) return undefined
      if (!loading) return 'Its model is not loaded yet.'
      const { done, total } = loading
      return `Its model is being loaded${total > 0 ? `: ${sizeOf(done)} of ${sizeOf(total)} MB` : ''}.`
    },
    get loading() {
      return loading
    },
    prepare: () => (isReady || closed ? false : load()),
    async embed(texts, purpose: EmbedPurpose, signal) {
      if (closed) throw new DaybookError('aborted')
      checkAborted(signal)
      const isQuestion = purpose === 'question'
      await orAborted(load(), signal)
      checkAborted(signal)
      const prefix = isQuestion ? questionPrefix : documentPrefix
      const vectors = await ask(
        texts.map((text) => prefix + text),
        isQuestion,
        signal,
      )
      dimensions = vectors[0]?.length ?? dimensions
      return vectors
    },
    close() {
      if (closed) return
      closed = true
      lose(new DaybookError('aborted'))
    },
  }
}

const sizeOf = (bytes: number) => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)
const failure = (message: string) => new DaybookError('embedder-failed', message)

/** Everything that decides which vectors come out. */
function nameOf({ model, revision, dtype = defaultDtype, pooling = defaultPooling }: LocalEmbedderOptions) {
  return `${model}${revision === undefined ? '' : `@${revision}`} ${dtype} ${pooling}`
}

const defaultDtype = 'q8'
const defaultPooling = 'mean'

function choiceOf(options: LocalEmbedderOptions): ModelChoice {
  const { model, revision, device, path, cache, wasm, runtime } = options
  const { dtype = defaultDtype, pooling = defaultPooling, offline = false } = options
  return { model, revision, device, path, cache, wasm, runtime, dtype, pooling, offline }
}

function read(
  { numbers, dimensions }: Extract<ModelAnswer, { type: 'vectors' }>,
  count: number,
): Float32Array[] {
  const wrong = (what: string) => new DaybookError('embedder-failed', `${what}.`, { retry: false })
  if (dimensions < 1 || dimensions > dimensionLimit || numbers.length !== count * dimensions)
    throw wrong(`Its model gave ${numbers.length} numbers for ${count} texts, ${dimensions} each`)
  return Array.from({ length: count }, (_, i) => {
    const unit = normalise(numbers.subarray(i * dimensions, (i + 1) * dimensions))
    if (!unit) throw wrong('Its model gave a vector with numbers that are none')
    return unit
  })
}
