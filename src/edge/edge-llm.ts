// The language model of the edge, as its deployment configures it: behind an OpenAI-compatible endpoint.
// Invariant: a model that is configured wrongly stops no call; those that would ask it say what is wrong.
import { DaybookError, toDaybookError } from '../core/errors.ts'
import type { Llm } from '../core/ports.ts'
import { createLlm } from '../memory/conversation/llm/llm-options.ts'
import type { EdgeEnv } from './edge-env.ts'
import { webPorts } from '../web/web-ports.ts'

const defaultUrl = 'https://api.openai.com/v1'

/** The model that `env` names, or undefined when it names none. */
export function edgeLlm(env: Omit<EdgeEnv, 'MIRROR'>): Llm | undefined {
  const { DAYBOOK_LLM_MODEL: model, DAYBOOK_LLM_URL: url, DAYBOOK_LLM_KEY: key } = env
  if (!model) return undefined
  try {
    const host = { web: { fetch, AbortController, TextDecoder }, scheduler: webPorts.scheduler }
    return createLlm({ provider: 'api', model, url: url || defaultUrl, ...(key ? { key } : {}) }, host)
  } catch (cause) {
    const message = `This edge's model is not configured rightly: ${toDaybookError(cause).message}`
    const error = new DaybookError('model-unavailable', message, { cause, retry: false })
    return { name: `api|${model}`, limitChars: 24_000, answer: () => Promise.reject(error) }
  }
}
