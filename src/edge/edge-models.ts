// The embedder and the language model of an edge, from its settings.
// Invariant: wrong settings don't affect other calls; a call that needs the model throws the reason.
import { DaybookError, toDaybookError } from '../core/errors.ts'
import type { Embedder, Llm } from '../core/ports.ts'
import { createModelEmbedder, type EmbedderSource } from '../recall/embed/create-embedder.ts'
import { createEmbedFetch, parseVectors } from '../recall/embed/embed-fetch.ts'
import {
  type ApiEmbedderOptions,
  type EmbedderOptions,
  type HttpEmbedderOptions,
  parseEmbedderOptions,
} from '../recall/embed/embedder-options.ts'
import { normalise } from '../store/vector/quantise.ts'
import type { AiBinding, EdgeEnv } from './edge-env.ts'
import { webPorts } from '../web/web-ports.ts'
import { createLlm } from '../memory/conversation/llm/llm-options.ts'

const defaultAiModel = '@cf/baai/bge-small-en-v1.5'
const { scheduler, clock } = webPorts
const embedderHost = { fetch: createEmbedFetch(globalThis), scheduler, clock }

/**
 * Returns the embedder that `env` names: an OpenAI-compatible API, an embedding server or Workers AI; undefined
 * without one. Throws `embedder-off` for wrong settings.
 */
export function edgeEmbedder(env: Omit<EdgeEnv, 'MIRROR'>): Embedder | undefined {
  const { AI: ai, DAYBOOK_EMBED_URL: url, DAYBOOK_EMBED_KEY: key, DAYBOOK_EMBED_MODEL: model } = env
  const provider = env.DAYBOOK_EMBED_PROVIDER || (key ? 'api' : ai && 'workers-ai')
  if (provider === undefined) return undefined
  if (provider === 'workers-ai') {
    if (!ai) throw embedderSettingsError('the binding `AI` is missing')
    return createAiEmbedder(ai, model || defaultAiModel)
  }
  if (provider !== 'api' && provider !== 'http')
    throw embedderSettingsError('DAYBOOK_EMBED_PROVIDER takes `api`, `http` or `workers-ai`')
  const urlOption = url ? { url } : {}
  const options =
    provider === 'http'
      ? { provider, ...urlOption, ...(key ? { key } : {}), ...(model ? { model } : {}) }
      : { provider, ...urlOption, key: key ?? '', model: model ?? '' }
  try {
    parseEmbedderOptions(options as EmbedderOptions)
  } catch (cause) {
    // The problem without its remedy: this error has a remedy of its own.
    throw embedderSettingsError((cause as Error).message.split(/\. (?=[A-Z])/)[0] ?? '', cause)
  }
  return createModelEmbedder(options as HttpEmbedderOptions | ApiEmbedderOptions, embedderHost)
}

/** Returns the embedder for records at this edge; undefined unless `DAYBOOK_EMBED_RECORDS` is `true`. */
export function edgeEmbedderSource(env: Omit<EdgeEnv, 'MIRROR'>): EmbedderSource | undefined {
  if (env.DAYBOOK_EMBED_RECORDS !== 'true') return undefined
  return { open: () => openOrRejectingEmbedder(env) }
}

/** Opens the embedder. With wrong settings, returns one that rejects every call with the reason. */
function openOrRejectingEmbedder(env: Omit<EdgeEnv, 'MIRROR'>): Embedder {
  try {
    const embedder = edgeEmbedder(env)
    if (embedder) return embedder
    throw embedderSettingsError('DAYBOOK_EMBED_RECORDS is set, but no embedder is')
  } catch (error) {
    // Only the rejection counts; the other fields (`Embedder` in core/ports.ts) are placeholders.
    return {
      provider: 'edge',
      model: 'none',
      dimensions: undefined,
      batch: 1,
      minSimilarity: 1,
      weight: 1,
      embed: () => Promise.reject(toDaybookError(error)),
      close: () => undefined,
    }
  }
}

/** Creates the error for wrong settings: a fault of the deployment, not of the caller. */
function embedderSettingsError(fault: string, cause?: unknown): DaybookError {
  return new DaybookError('embedder-off', `The settings of this edge's embedder are wrong: ${fault}.`, {
    cause,
  })
}

/** Creates an embedder over Workers AI, which takes at most 100 texts in one call. */
function createAiEmbedder(ai: AiBinding, model: string): Embedder {
  // `dimensions`: unknown before the first answer. `minSimilarity`: recall derives it.
  return {
    provider: 'workers-ai',
    model,
    dimensions: undefined,
    batch: 100,
    minSimilarity: undefined,
    weight: 1,
    async embed(texts) {
      const answer = await ai.run(model, { text: [...texts] }).catch((cause: unknown) => {
        throw new DaybookError('embedder-failed', undefined, { cause })
      })
      const data = (answer as { data?: unknown } | null)?.data
      // Undefined: the vectors have as many dimensions as the first one.
      return parseVectors(data, texts.length, undefined, normalise)
    },
    close: () => undefined,
  }
}

const defaultLlmUrl = 'https://api.openai.com/v1'

/** Returns the OpenAI-compatible language model that `env` names; undefined without `DAYBOOK_LLM_MODEL`. */
export function edgeLlm(env: Omit<EdgeEnv, 'MIRROR'>): Llm | undefined {
  const { DAYBOOK_LLM_MODEL: model, DAYBOOK_LLM_URL: url, DAYBOOK_LLM_KEY: key } = env
  if (!model) return undefined
  try {
    const llmHost = { web: { fetch, AbortController, TextDecoder }, scheduler: webPorts.scheduler }
    return createLlm({ provider: 'api', model, url: url || defaultLlmUrl, ...(key ? { key } : {}) }, llmHost)
  } catch (cause) {
    const message = `The settings of this edge's model are wrong: ${toDaybookError(cause).message}`
    const error = new DaybookError('model-unavailable', message, { cause, retry: false })
    // `limitChars` has no effect, because every call rejects.
    return { name: `api|${model}`, limitChars: 24_000, answer: () => Promise.reject(error) }
  }
}
