// The worker of a local model: loads Transformers.js and the model, and embeds a few texts at a time.
// Invariants: a question waits for at most one slice of documents; no error contains a text.
import { defined } from '../../core/defined.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { ModelResponse, ModelChoice, ModelRequest } from './model-message.ts'

/** The used part of Transformers.js. */
export interface TransformersRuntime {
  readonly env: {
    logLevel: number
    allowLocalModels: boolean
    allowRemoteModels: boolean
    localModelPath: string
    remoteHost: string
    remotePathTemplate: string
    cacheDir: string | null
    fetch(address: unknown): Promise<unknown>
    readonly backends: { readonly onnx: { readonly wasm?: { wasmPaths?: unknown } } }
  }
  pipeline(task: 'feature-extraction', model: string, options: object): Promise<Extractor>
}

type Extractor = (texts: readonly string[], options: { readonly pooling: string }) => Promise<Tensor>

interface Tensor {
  readonly type: string
  readonly data: ArrayLike<number>
  readonly dims: readonly number[]
  to(type: 'float32'): Tensor
}

export interface ModelServerDeps {
  /** Sends an answer. `transfer`: the buffers that move to the other thread without a copy. */
  post(answer: ModelResponse, transfer: ArrayBuffer[]): void
  /** Imports Transformers.js: the module at `address`, by default the package. */
  importRuntime(address: string | undefined): Promise<unknown>
  /** An HTTP answer with status 404. */
  notFound(): unknown
}

type EmbedRequest = Extract<ModelRequest, { type: 'embed' }>
interface EmbedJob extends EmbedRequest {
  /** The vectors so far. */
  readonly rows: Float32Array[]
}

/** Texts of one model run; a question waits for at most one. */
const textsPerRun = 4
/** Log level: errors only. */
const errorLogLevel = 40
const wasmFile = 'ort-wasm-simd-threaded.asyncify'

/** Returns the handler of one embedder's requests. */
export function serveModel({
  post,
  importRuntime,
  notFound,
}: ModelServerDeps): (request: ModelRequest) => void {
  let extract: ((texts: readonly string[]) => Promise<Tensor>) | undefined
  const queue: EmbedJob[] = []
  let running: EmbedJob | undefined

  const load = async (choice: ModelChoice) => {
    const runtime = (await importRuntime(choice.runtime).catch((cause: unknown) => {
      throw runtimeError(cause)
    })) as TransformersRuntime
    let lastPercent = -1
    // Offline, a file that isn't cached is missing.
    if (choice.offline) runtime.env.fetch = () => Promise.resolve(notFound())
    const extractor = await openModel(runtime, choice, (done, total) => {
      const percent = Math.floor((100 * done) / Math.max(1, total))
      if (percent === lastPercent) return
      lastPercent = percent
      post({ type: 'loading', done, total }, [])
    }).catch((cause: unknown) => {
      throw modelError(cause, choice)
    })
    extract = (texts) => extractor(texts, { pooling: choice.pooling })
    post({ type: 'loaded' }, [])
    void runQueue()
  }

  const runQueue = async () => {
    while (extract && !running) {
      const at = queue.findIndex(({ isQuestion }) => isQuestion)
      const batch = queue[Math.max(0, at)]
      if (!batch) return
      running = batch
      const { number, texts, rows } = batch
      try {
        const rest = texts.slice(rows.length, rows.length + textsPerRun)
        rows.push(...rowsOfTensor(await extract(rest), rest.length))
        if (rows.length === texts.length) postVectors(batch)
      } catch (cause) {
        removeFromQueue(number)
        // Like a server that refuses a text: others of the batch may be fine.
        const error = new DaybookError('embedder-failed', 'The model failed on these texts.', {
          details: { status: 422, reason: cause instanceof Error ? cause.name : typeof cause },
          retry: false,
        })
        post({ type: 'failed', number, error: error.toJSON() }, [])
      } finally {
        running = undefined
      }
    }
  }

  const postVectors = ({ number, rows }: EmbedJob) => {
    // Cancelled in the meantime.
    if (!removeFromQueue(number)) return
    const dimensions = rows[0]?.length ?? 0
    const numbers = new Float32Array(rows.length * dimensions)
    rows.forEach((row, i) => numbers.set(row, i * dimensions))
    post({ type: 'vectors', number, numbers, dimensions }, [numbers.buffer])
  }

  const removeFromQueue = (number: number): boolean => {
    const at = queue.findIndex((batch) => batch.number === number)
    if (at >= 0) queue.splice(at, 1)
    return at >= 0
  }

  return (request) => {
    if (request.type === 'abort') return void removeFromQueue(request.number)
    if (request.type === 'embed') {
      queue.push({ ...request, rows: [] })
      return void runQueue()
    }
    load(request.choice).catch((error: unknown) =>
      post({ type: 'not-loaded', error: toDaybookError(error).toJSON() }, []),
    )
  }
}

function openModel(
  { env, pipeline }: TransformersRuntime,
  { model, revision, dtype, device, path, cache, wasm }: ModelChoice,
  onProgress: (done: number, total: number) => void,
): Promise<Extractor> {
  env.logLevel = errorLogLevel
  if (cache !== undefined) env.cacheDir = cache
  if (path !== undefined && /^https?:/i.test(path)) {
    // A custom address, laid out like a folder. Its files are cached apart from the hub's: models may share a name.
    if (cache !== undefined) env.cacheDir = `${cache}/${encodeURIComponent(path)}`
    env.allowLocalModels = false
    env.remoteHost = `${path.replace(/\/+$/, '')}/`
    env.remotePathTemplate = '{model}/'
  } else if (path !== undefined) {
    env.allowLocalModels = true
    env.allowRemoteModels = false
    env.localModelPath = path
  }
  const { wasm: onnx } = env.backends.onnx
  if (onnx) {
    // Unset, the runtime takes the files beside it, and none from a third party.
    const folder = wasm?.replace(/\/*$/, '/')
    onnx.wasmPaths = folder && { mjs: `${folder}${wasmFile}.mjs`, wasm: `${folder}${wasmFile}.wasm` }
  }
  return pipeline('feature-extraction', model, {
    dtype,
    ...defined({ revision, device }),
    progress_callback(step: { status: string; loaded?: number; total?: number }) {
      if (step.status === 'progress_total') onProgress(step.loaded ?? 0, step.total ?? 0)
    },
  })
}

/** One row for each text. */
function rowsOfTensor(tensor: Tensor, count: number): Float32Array[] {
  const { data, dims } = tensor.type === 'float32' ? tensor : tensor.to('float32')
  const [rows = 0, dimensions = 0] = dims
  if (dims.length !== 2 || rows !== count) throw new RangeError('No vector for each text.')
  const numbers = Float32Array.from(data)
  return Array.from({ length: rows }, (_, i) => numbers.slice(i * dimensions, (i + 1) * dimensions))
}

const messageOf = (cause: unknown) =>
  (cause instanceof Error ? cause.message : String(cause)).split('\n')[0]?.slice(0, 300) ?? ''
const isNetworkError = (cause: unknown) => /fetch|network|ENOTFOUND|ECONN|ETIMEDOUT/i.test(messageOf(cause))

function runtimeError(cause: unknown): DaybookError {
  return new DaybookError(
    'embedder-failed',
    `Transformers.js could not be loaded (${messageOf(cause)}). Install it, \`npm install @huggingface/transformers\`, or give the address of its module as \`embedder.runtime\`.`,
    { details: { package: '@huggingface/transformers' }, retry: isNetworkError(cause), cause },
  )
}

function modelError(cause: unknown, { model, dtype, offline }: ModelChoice): DaybookError {
  const hint = offline
    ? 'It is not in the cache: open the book once without `embedder.offline`, or give `embedder.path`.'
    : `Check \`embedder.model\`, \`embedder.dtype\` (here ${dtype}) and \`embedder.path\`.`
  return new DaybookError(
    'embedder-failed',
    `The model \`${model}\` could not be loaded (${messageOf(cause)}). ${hint}`,
    {
      details: { model },
      retry: !offline && isNetworkError(cause),
      cause,
    },
  )
}
