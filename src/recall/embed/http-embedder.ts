// Embedders over HTTP: a server with `POST {texts}`, and the OpenAI-compatible API.
import { checkAddress, checkKey } from '../../core/address.ts'
import { defined } from '../../core/defined.ts'
import { DaybookError } from '../../core/errors.ts'
import type { Embedder, EmbedPurpose } from '../../core/ports.ts'
import { normalise } from '../../store/vector/quantise.ts'
import { postToEmbedder, type EmbedHttpAccess, parseVectors } from './embed-fetch.ts'
import {
  type ApiEmbedderOptions,
  type HttpEmbedderOptions,
  defaultModelWeight,
  modelNameOf,
} from './embedder-options.ts'

/** Maximum texts of one request. Our own server takes no more; APIs do, but long requests fail more often. */
export const maxEmbedBatch = 100
const defaultDeadlineMs = 30_000
const openAiUrl = 'https://api.openai.com/v1'

/** `POST url {texts}` → `{ embeddings, dimensions }`. */
export function createHttpEmbedder(options: HttpEmbedderOptions, caller: EmbedHttpAccess): Embedder {
  const url = checkAddress(options.url, 'embedder.url')
  return createRemoteEmbedder(options, caller, {
    url,
    model: options.model ?? url,
    requestBody: (texts) => ({ texts }),
    vectorsIn: (answer) => (answer as { embeddings?: unknown } | null)?.embeddings,
  })
}

/** `POST url/embeddings {model, input}` → `{ data: [{ index, embedding }] }`. */
export function createApiEmbedder(options: ApiEmbedderOptions, caller: EmbedHttpAccess): Embedder {
  const { model, dimensions } = options
  return createRemoteEmbedder(options, caller, {
    url: `${checkAddress(options.url ?? openAiUrl, 'embedder.url')}/embeddings`,
    model,
    requestBody: (input) => ({
      model,
      input,
      encoding_format: 'float',
      ...defined({ dimensions }),
    }),
    vectorsIn: (answer) => embeddingsByIndex((answer as { data?: unknown } | null)?.data),
  })
}

/** `requestBody`: JSON. `vectorsIn`: the list of vectors in an answer, unchecked. */
interface RemoteApi {
  readonly url: string
  readonly model: string
  requestBody(texts: readonly string[]): unknown
  vectorsIn(answer: unknown): unknown
}

function createRemoteEmbedder(
  options: HttpEmbedderOptions | ApiEmbedderOptions,
  caller: EmbedHttpAccess,
  { url, model, requestBody, vectorsIn }: RemoteApi,
): Embedder {
  const { provider, key, deadlineMs = defaultDeadlineMs, documentPrefix = '', questionPrefix = '' } = options
  let { dimensions } = options
  return {
    provider,
    model: modelNameOf(model, documentPrefix),
    get dimensions() {
      return dimensions
    },
    batch: maxEmbedBatch,
    minSimilarity: options.minSimilarity,
    weight: options.weight ?? defaultModelWeight,
    async embed(texts, purpose: EmbedPurpose, signal) {
      const prefix = purpose === 'question' ? questionPrefix : documentPrefix
      const answer = await postToEmbedder(caller, {
        url,
        readKey: async () => (key === undefined ? undefined : await readKey(key)),
        body: requestBody(texts.map((text) => prefix + text)),
        deadlineMs,
        signal,
      })
      const read = parseVectors(vectorsIn(answer), texts.length, options.dimensions, normalise)
      dimensions = read[0]?.length ?? dimensions
      return read
    },
    close: () => undefined,
  }
}

/** Resolves the key: the given text, or what the function returns. */
async function readKey(key: string | (() => Promise<string>)): Promise<string> {
  try {
    return checkKey(typeof key === 'string' ? key : await key(), 'embedder.key')
  } catch (cause) {
    throw new DaybookError('embedder-failed', 'Its key could not be fetched.', { cause })
  }
}

/** The entries of `data` by their `index`, where they have one. */
function embeddingsByIndex(data: unknown): unknown {
  if (!Array.isArray(data)) return undefined
  const vectors: unknown[] = []
  for (const [i, entry] of (data as { index?: unknown; embedding?: unknown }[]).entries())
    vectors[typeof entry?.index === 'number' ? entry.index : i] = entry?.embedding
  return vectors
}
