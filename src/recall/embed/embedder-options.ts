// What a user says about the embedder when a book is opened. Nothing here is sent anywhere but to the embedder named.
import { checkAddress, checkKey } from '../../core/address.ts'
import { DaybookError } from '../../core/errors.ts'
import { dimensionLimit } from './embed-fetch.ts'

interface Tuning {
  /** Cosine similarity below which a record is no answer to a question. Each provider has a default. */
  readonly minSimilarity?: number
  /** Its share in the fusion of recall, beside 1 for full text. Default 1, and 0.3 for `lsa`. */
  readonly weight?: number
  /** How long a recall waits for the vector of its question, in milliseconds. Default 800. */
  readonly questionDeadlineMs?: number
}

interface Prefixes {
  /** What this model wants before texts and before questions, such as `passage: ` and `query: `. Default nothing. */
  readonly documentPrefix?: string
  readonly questionPrefix?: string
}

/** No vectors: recall by full text alone. The default. */
export interface NoEmbedderOptions {
  readonly provider: 'none'
}

/** Latent semantic analysis of the book itself: no weights, no key, nothing leaves the machine. */
export interface LsaOptions extends Tuning {
  readonly provider: 'lsa'
  /** 8 to 512, default 128. */
  readonly dimensions?: number
}

/** An embedding server: `POST url {texts}` answers `{ embeddings, dimensions }`. */
export interface HttpEmbedderOptions extends Tuning, Prefixes {
  readonly provider: 'http'
  readonly url: string
  readonly key?: string | (() => Promise<string>)
  /** Names the model behind the address; change it when the server changes its model. Default the address. */
  readonly model?: string
  readonly dimensions?: number
  /** Default 30,000. */
  readonly deadlineMs?: number
}

/** An OpenAI-compatible API: `POST url/embeddings`. */
export interface ApiEmbedderOptions extends Tuning, Prefixes {
  readonly provider: 'api'
  /** Default `https://api.openai.com/v1`. */
  readonly url?: string
  readonly key: string | (() => Promise<string>)
  readonly model: string
  /** Asks the API for this many, where it can shorten its vectors. */
  readonly dimensions?: number
  readonly deadlineMs?: number
}

export type EmbedderOptions = NoEmbedderOptions | LsaOptions | HttpEmbedderOptions | ApiEmbedderOptions

/** An embedder that is one. */
export type ActiveEmbedderOptions = Exclude<EmbedderOptions, NoEmbedderOptions>

const providers = ['none', 'lsa', 'http', 'api']
const ranges: Readonly<Record<string, readonly [least: number, most: number]>> = {
  minSimilarity: [-1, 1],
  weight: [0, 10],
  questionDeadlineMs: [1, 60_000],
  deadlineMs: [1, 600_000],
  dimensions: [1, dimensionLimit],
}
const texts = ['model', 'documentPrefix', 'questionPrefix']

/** The options when they can be meant, undefined when they say `none`; anything else is `invalid-input` with its path. */
export function parseEmbedderOptions(
  options: EmbedderOptions | undefined,
): ActiveEmbedderOptions | undefined {
  if (options === undefined) return undefined
  const given = options as unknown as Readonly<Record<string, unknown>>
  if (typeof options !== 'object' || given === null || !providers.includes(given['provider'] as string))
    throw wrong('provider', `one of ${providers.join(', ')} is wanted`)
  for (const [name, [least, most]] of Object.entries(ranges)) {
    const value = given[name]
    if (value !== undefined && !(typeof value === 'number' && value >= least && value <= most))
      throw wrong(name, `a number from ${least} to ${most} is wanted`)
  }
  for (const name of texts) {
    const value = given[name]
    if (value !== undefined && (typeof value !== 'string' || value.length > 2000))
      throw wrong(name, 'a text is wanted')
  }
  const { provider, dimensions } = options as LsaOptions
  if (dimensions !== undefined && !Number.isInteger(dimensions))
    throw wrong('dimensions', 'a whole number is wanted')
  if ((provider as string) === 'lsa' && dimensions !== undefined && (dimensions < 8 || dimensions > 512))
    throw wrong('dimensions', 'a number from 8 to 512 is wanted')
  if (options.provider === 'http') checkAddress(options.url, 'embedder.url')
  if (options.provider === 'api' && options.url !== undefined) checkAddress(options.url, 'embedder.url')
  if (options.provider === 'api' && !options.model) throw wrong('model', 'the name of a model is wanted')
  if (options.provider === 'http' || options.provider === 'api') {
    const { key } = options
    if (options.provider === 'api' && key === undefined) throw wrong('key', 'a key is wanted')
    if (key !== undefined && typeof key !== 'function') checkKey(key, 'embedder.key')
  }
  return options.provider === 'none' ? undefined : options
}

function wrong(name: string, what: string): DaybookError {
  const path = `embedder.${name}`
  return new DaybookError('invalid-input', `\`${path}\`: ${what}.`, { details: { path } })
}
