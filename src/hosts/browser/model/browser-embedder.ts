// Embedders in a page: over HTTP from the book's worker, or a local model in a worker that the page starts.
import { embedderSource } from '../../../recall/embed/create-embedder.ts'
import { fetchOf } from '../../../recall/embed/embed-fetch.ts'
import type { EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { localFetch } from '../port/local-network.ts'
import type { FarPageEmbedder } from '../worker-message.ts'
import { proxy } from 'comlink'
import type { ModelAnswer, ModelHost, ModelRequest } from '../../../recall/embed/model-message.ts'

const fetch = fetchOf({ fetch: localFetch, AbortController })
const { scheduler, clock } = browserPorts

/** Makes the embedder of a book. `getKey` fetches the key if the page gave a function for it. */
export function browserEmbedder(
  options: EmbedderOptions | undefined,
  { getKey, page }: { getKey?: (() => Promise<string>) | undefined; page?: FarPageEmbedder | undefined } = {},
) {
  const hasKey = options?.provider === 'http' || options?.provider === 'api'
  const models = page && modelHostOf(page)
  return embedderSource(hasKey && getKey ? { ...options, key: getKey } : options, {
    fetch,
    scheduler,
    clock,
    models,
  })
}

/** Local models: the page starts their worker, and the engine gets a port to it. */
function modelHostOf(page: FarPageEmbedder): ModelHost {
  return {
    async start(hear, ended) {
      let isOver = false
      const failed = (why: string) => {
        if (isOver) return
        isOver = true
        ended(why)
      }
      const line = await page.start(proxy(failed))
      line.onmessage = ({ data }: MessageEvent<ModelAnswer>) => {
        if (!isOver) hear(data)
      }
      return {
        post: (request: ModelRequest) => line.postMessage(request),
        end() {
          isOver = true
          line.close()
          void page.end().catch(() => undefined)
        },
      }
    },
  }
}
