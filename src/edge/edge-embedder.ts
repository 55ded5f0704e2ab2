// The embedder of the edge, as its deployment configures it: an OpenAI-compatible API, an embedding server, Workers AI.
import { DaybookError, toDaybookError } from '../core/errors.ts'
import type { Embedder } from '../core/ports.ts'
import { createFar, type EmbedderSource } from '../recall/embed/create-embedder.ts'
import { fetchOf, readVectors } from '../recall/embed/embed-fetch.ts'
import {
  type ApiEmbedderOptions,
  type EmbedderOptions,
  type HttpEmbedderOptions,
  parseEmbedderOptions,
} from '../recall/embed/embedder-options.ts'
import { normalise } from '../store/vector/quantise.ts'
import type { AiBinding, EdgeEnv } from './edge-env.ts'
import { webPorts } from '../web/web-ports.ts'

const defaultModel = '@cf/baai/bge-small-en-v1.5'
const { scheduler, clock } = webPorts
const host = { fetch: fetchOf(globalThis), scheduler, clock }

/** The embedder that `env` names, or undefined when it names none. Throws `embedder-off` when it can't be what it says. */
export function edgeEmbedder(env: Omit<EdgeEnv, 'MIRROR'>): Embedder | undefined {
  const { AI: ai, DAYBOOK_EMBED_URL: url, DAYBOOK_EMBED_KEY: key, DAYBOOK_EMBED_MODEL: model } = env
  const provider = env.DAYBOOK_EMBED_PROVIDER || (key ? 'api' : ai && 'workers-ai')
  if (provider === undefined) return undefined
  if (provider === 'workers-ai') {
    if (!ai) throw misconfigured('the binding `AI` is missing')
    return createAiEmbedder(ai, model || defaultModel)
  }
  if (provider !== 'api' && provider !== 'http')
    throw misconfigured('DAYBOOK_EMBED_PROVIDER takes `api`, `http` or `workers-ai`')
  const address = url ? { url } : {}
  const options =
    provider === 'http'
      ? { provider, ...address, ...(key ? { key } : {}), ...(model ? { model } : {}) }
      : { provider, ...address, key: key ?? '', model: model ?? '' }
  try {
    parseEmbedderOptions(options as EmbedderOptions)
  } catch (cause) {
    throw misconfigured((cause as Error).message.split('. ')[0] ?? '', cause)
  }
  return createFar(options as HttpEmbedderOptions | ApiEmbedderOptions, host)
}

/** What gives the records of a book at this edge vectors; undefined unless the deployment asks for that. */
export function edgeVectors(env: Omit<EdgeEnv, 'MIRROR'>): EmbedderSource | undefined {
  if (env.DAYBOOK_EMBED_RECORDS !== 'true') return undefined
  return { open: () => openOrFail(env) }
}

/** A deployment that is wrong in this must not keep a book from opening: its vectors fail, and say why. */
function openOrFail(env: Omit<EdgeEnv, 'MIRROR'>): Embedder {
  try {
    const embedder = edgeEmbedder(env)
    if (embedder) return embedder
    throw misconfigured('DAYBOOK_EMBED_RECORDS is set, but no embedder is')
  } catch (error) {
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

/** The deployment is at fault, not who calls. */
function misconfigured(what: string, cause?: unknown): DaybookError {
  return new DaybookError('embedder-off', `This edge's embedder is not configured rightly: ${what}.`, {
    cause,
  })
}

function createAiEmbedder(ai: AiBinding, model: string): Embedder {
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
      return readVectors(data, texts.length, undefined, normalise)
    },
    close: () => undefined,
  }
}
