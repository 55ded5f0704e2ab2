// The embedder of the edge, as its deployment configures it: an OpenAI-compatible API, or a model of Workers AI.
import { DaybookError } from '../src/core/errors.ts'
import type { Embedder } from '../src/core/ports.ts'
import { createFar } from '../src/recall/embed/create-embedder.ts'
import { fetchOf, readVectors } from '../src/recall/embed/embed-fetch.ts'
import { parseEmbedderOptions } from '../src/recall/embed/embedder-options.ts'
import { normalise } from '../src/store/quantise.ts'
import type { AiBinding, EdgeEnv } from './edge-env.ts'
import { workerPorts } from './worker-ports.ts'

const defaultModel = '@cf/baai/bge-small-en-v1.5'
const host = { fetch: fetchOf(globalThis), scheduler: workerPorts.scheduler }

/** The embedder that `env` names, or undefined when it names none. An API goes before the binding. */
export function edgeEmbedder(env: EdgeEnv): Embedder | undefined {
  const { AI: ai, DAYBOOK_EMBED_URL: url, DAYBOOK_EMBED_KEY: key, DAYBOOK_EMBED_MODEL: model } = env
  if (key !== undefined && key !== '') {
    const options = { provider: 'api', key, model: model ?? '', ...(url ? { url } : {}) } as const
    try {
      parseEmbedderOptions(options)
    } catch (cause) {
      // The deployment is at fault, not who calls.
      const message = `This edge's embedder is not configured rightly: ${(cause as Error).message}`
      throw new DaybookError('embedder-off', message, { cause })
    }
    return createFar(options, host)
  }
  return ai && createAiEmbedder(ai, model || defaultModel)
}

function createAiEmbedder(ai: AiBinding, model: string): Embedder {
  return {
    provider: 'workers-ai',
    model,
    dimensions: undefined,
    batch: 100,
    minSimilarity: 0.3,
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
