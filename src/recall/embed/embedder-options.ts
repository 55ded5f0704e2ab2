// Options of an embedder. Key and texts go to that embedder only.
import { checkAddress, checkKey } from '../../core/address.ts'
import { type DaybookError, invalidInput } from '../../core/errors.ts'
import { anyOption, type OptionCheck, optionsOf, variantOption } from '../../core/option-check.ts'
import { maxDimensions } from './embed-fetch.ts'

/**
 * Default weight of a model in recall. The vector leg uses neighbours too, so it counts nearly as much as the legs of own
 * words and of windows together.
 */
export const defaultModelWeight = 3

interface TuningOptions {
  /** Minimum cosine similarity of a hit. Default: derived from the similarities in the book; 0.45 for `lsa`. */
  readonly minSimilarity?: number
  /** Its weight in recall; full text has 1. Default 3, and 0.3 for `lsa`. */
  readonly weight?: number
  /**
   * How long a recall waits for the vector of its question, in milliseconds. Default 800, but no longer than until `meaning`
   * has to fetch its table.
   */
  readonly questionDeadlineMs?: number
}

interface PrefixOptions {
  /** Prefixes of texts and of questions for this model, such as `passage: ` and `query: `. Default none. */
  readonly documentPrefix?: string
  readonly questionPrefix?: string
}

/** No vectors: recall by full text alone. The default in a page. */
export interface NoEmbedderOptions {
  readonly provider: 'none'
}

/** Latent semantic analysis of the book itself: no weights, no key, nothing leaves the machine. */
export interface LsaOptions extends TuningOptions {
  readonly provider: 'lsa'
  /** 8 to 512, default 128. */
  readonly dimensions?: number
}

/**
 * A table of vectors of word pieces, made of all-MiniLM-L6-v2: English, no server, nothing leaves the machine. In a page
 * use `meaning` of `daybook/meaning`.
 */
export interface MeaningOptions extends TuningOptions {
  readonly provider: 'meaning'
  /** Address of the table's file. In Node default the file of the package. */
  readonly url?: string
  /** Node: path of the table's file, instead of `url`. */
  readonly path?: string
  /** The name in the table's file. Default that of the package's table. */
  readonly model?: string
}

/** An embedding server: `POST url {texts}` answers `{ embeddings, dimensions }`. */
export interface HttpEmbedderOptions extends TuningOptions, PrefixOptions {
  readonly provider: 'http'
  readonly url: string
  readonly key?: string | (() => Promise<string>)
  /** The name of the model; change it when the server changes its model. Default: the URL. */
  readonly model?: string
  readonly dimensions?: number
  /** Default 30,000. */
  readonly deadlineMs?: number
}

/** An OpenAI-compatible API: `POST url/embeddings`. */
export interface ApiEmbedderOptions extends TuningOptions, PrefixOptions {
  readonly provider: 'api'
  /** Default `https://api.openai.com/v1`. */
  readonly url?: string
  readonly key: string | (() => Promise<string>)
  readonly model: string
  /** Asks the API for vectors of this length. */
  readonly dimensions?: number
  readonly deadlineMs?: number
}

/** A model on this machine, by Transformers.js. In a page use `localEmbedder` of `daybook/local`. */
export interface LocalModelOptions extends TuningOptions, PrefixOptions {
  /**
   * A model with ONNX files: its id on the Hugging Face Hub, such as `Xenova/all-MiniLM-L6-v2`, or its folder in
   * `path`.
   */
  readonly model: string
  /** Branch, tag or commit on the hub. Default `main`. */
  readonly revision?: string
  /** The number format, which selects the model's files. Default `q8`. */
  readonly dtype?: 'fp32' | 'fp16' | 'q8' | 'int8' | 'uint8' | 'q4' | 'q4f16' | 'bnb4'
  /** How the vectors of tokens become one, according to the model card. Default `mean`. */
  readonly pooling?: 'mean' | 'cls' | 'last_token'
  /** `webgpu`, `wasm`, `cpu` and others that Transformers.js knows. Default `wasm` in a page, `cpu` in Node. */
  readonly device?: string
  /** Location of `<path>/<model>/config.json`: an address, or in Node a folder. Default the Hugging Face Hub. */
  readonly path?: string
  /** True: only from the cache or a folder, never from the network. */
  readonly offline?: boolean
  /** Node: the folder for downloads. Default `daybook/models` in the user's cache. */
  readonly cache?: string
  /** Page: address of a folder with the `ort-wasm-simd-threaded.asyncify` files. Default those beside the runtime. */
  readonly wasm?: string
  /** Address of the module of Transformers.js. Default the package `@huggingface/transformers`. */
  readonly runtime?: string
  /** For one batch of texts, in milliseconds. Default 120,000. */
  readonly deadlineMs?: number
}

export interface LocalEmbedderOptions extends LocalModelOptions {
  readonly provider: 'local'
  /** Page: starts the worker of the model. `localEmbedder` sets it. */
  readonly start?: (() => unknown) | undefined
}

export type EmbedderOptions =
  | NoEmbedderOptions
  | LsaOptions
  | MeaningOptions
  | HttpEmbedderOptions
  | ApiEmbedderOptions
  | LocalEmbedderOptions

export type ActiveEmbedderOptions = Exclude<EmbedderOptions, NoEmbedderOptions>

const tuningOptions = { minSimilarity: anyOption, weight: anyOption, questionDeadlineMs: anyOption }
const prefixOptions = { documentPrefix: anyOption, questionPrefix: anyOption }
const httpOptions = {
  url: anyOption,
  key: anyOption,
  model: anyOption,
  dimensions: anyOption,
  deadlineMs: anyOption,
}

/** The options of each provider. `parseEmbedderOptions` checks their values. */
const variants: Readonly<Record<EmbedderOptions['provider'], OptionCheck>> = {
  none: optionsOf<NoEmbedderOptions>({ provider: anyOption }),
  lsa: optionsOf<LsaOptions>({ provider: anyOption, ...tuningOptions, dimensions: anyOption }),
  meaning: optionsOf<MeaningOptions>({
    provider: anyOption,
    ...tuningOptions,
    url: anyOption,
    path: anyOption,
    model: anyOption,
  }),
  http: optionsOf<HttpEmbedderOptions>({
    provider: anyOption,
    ...tuningOptions,
    ...prefixOptions,
    ...httpOptions,
  }),
  api: optionsOf<ApiEmbedderOptions>({
    provider: anyOption,
    ...tuningOptions,
    ...prefixOptions,
    ...httpOptions,
  }),
  local: optionsOf<LocalEmbedderOptions>({
    provider: anyOption,
    ...tuningOptions,
    ...prefixOptions,
    model: anyOption,
    revision: anyOption,
    dtype: anyOption,
    pooling: anyOption,
    device: anyOption,
    path: anyOption,
    offline: anyOption,
    cache: anyOption,
    wasm: anyOption,
    runtime: anyOption,
    deadlineMs: anyOption,
    start: anyOption,
  }),
}
/** The check of the option `embedder`. */
export const embedderOption: OptionCheck = (value, path) => {
  variantOption('provider', variants)(value, path)
  parseEmbedderOptions(value as EmbedderOptions)
}

const numberRanges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  minSimilarity: [-1, 1],
  weight: [0, 10],
  questionDeadlineMs: [1, 60_000],
  deadlineMs: [1, 600_000],
  dimensions: [1, maxDimensions],
}
const textOptions = [
  'model',
  'documentPrefix',
  'questionPrefix',
  'revision',
  'device',
  'path',
  'cache',
  'wasm',
  'runtime',
]
const dtypes = ['fp32', 'fp16', 'q8', 'int8', 'uint8', 'q4', 'q4f16', 'bnb4']
const poolings = ['mean', 'cls', 'last_token']

/** Valid options, undefined for `none`; otherwise throws `invalid-input` with a path. */
export function parseEmbedderOptions(
  options: EmbedderOptions | undefined,
): ActiveEmbedderOptions | undefined {
  if (options === undefined) return undefined
  variantOption('provider', variants)(options, 'embedder')
  const values = options as unknown as Readonly<Record<string, unknown>>
  for (const [name, [least, most]] of Object.entries(numberRanges)) {
    const value = values[name]
    if (value !== undefined && !(typeof value === 'number' && value >= least && value <= most))
      throw invalidOption(name, `Must be a number from ${least} to ${most}`)
  }
  for (const name of textOptions) {
    const value = values[name]
    if (value !== undefined && (typeof value !== 'string' || value.length > 2000))
      throw invalidOption(name, 'Must be a text')
  }
  const { provider, dimensions } = options as LsaOptions
  if (dimensions !== undefined && !Number.isInteger(dimensions))
    throw invalidOption('dimensions', 'Must be a whole number')
  if ((provider as string) === 'lsa' && dimensions !== undefined && (dimensions < 8 || dimensions > 512))
    throw invalidOption('dimensions', 'Must be a number from 8 to 512')
  if (options.provider === 'http') checkAddress(options.url, 'embedder.url')
  if (options.provider === 'api' && options.url !== undefined) checkAddress(options.url, 'embedder.url')
  if (options.provider === 'api' && !options.model)
    throw invalidOption('model', 'Must be the name of a model')
  if (options.provider === 'http' || options.provider === 'api') {
    const { key } = options
    if (options.provider === 'api' && key === undefined) throw invalidOption('key', 'Must be a key')
    if (key !== undefined && typeof key !== 'function') checkKey(key, 'embedder.key')
  }
  if (options.provider === 'local') checkLocalOptions(options)
  if (options.provider === 'meaning') checkMeaningOptions(options)
  return options.provider === 'none' ? undefined : options
}

function checkLocalOptions({ model, path, dtype, pooling, offline }: LocalEmbedderOptions): void {
  if (!model) throw invalidOption('model', 'Must be the name of a model')
  if (dtype !== undefined && !dtypes.includes(dtype))
    throw invalidOption('dtype', `Must be one of ${dtypes.join(', ')}`)
  if (pooling !== undefined && !poolings.includes(pooling))
    throw invalidOption('pooling', `Must be one of ${poolings.join(', ')}`)
  if (offline !== undefined && typeof offline !== 'boolean')
    throw invalidOption('offline', 'Must be true or false')
  if (path !== undefined && /^https?:/i.test(path)) checkAddress(path, 'embedder.path')
}

function checkMeaningOptions({ url, path, model }: MeaningOptions): void {
  if (url !== undefined && (typeof url !== 'string' || url === '' || url.length > 2000))
    throw invalidOption('url', 'Must be the address of a file')
  if (url !== undefined && path !== undefined) throw invalidOption('path', 'Must not stand beside `url`')
  if (path === '') throw invalidOption('path', 'Must be the path of a file')
  if (model === '') throw invalidOption('model', 'Must be the name of a model')
}

/** The name of a model in fingerprints. A prefix of documents changes their vectors too. */
export function modelNameOf(model: string, documentPrefix: string | undefined): string {
  return documentPrefix ? `${model} ${JSON.stringify(documentPrefix)}` : model
}

/**
 * `provider|model`, `provider|url` without a model, or the provider alone (`lsa`, `none`): two tabs with the same name
 * want the same vectors.
 */
export function embedderName(options: EmbedderOptions | undefined): string {
  const { provider, model, url } = { provider: 'none', ...options } as Record<string, string | undefined>
  // The place of its table doesn't change the vectors.
  const name = model ?? (provider === 'meaning' ? undefined : url)
  return name === undefined ? String(provider) : `${provider}|${name}`
}

const invalidOption = (name: string, problem: string): DaybookError =>
  invalidInput(`embedder.${name}`, problem)
