// Embedders in a page: over fetch from the book's worker, or from a model in a worker that the page starts.
import { embedderSource } from '../../../recall/embed/create-embedder.ts'
import { fetchOf } from '../../../recall/embed/embed-fetch.ts'
import type { EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { localFetch } from '../port/local-network.ts'
import type { FarPageEmbedder } from '../wire/message.ts'
import { modelHostOf } from './worker-embedder.ts'

const fetch = fetchOf({ fetch: localFetch, AbortController })
const { scheduler, clock } = browserPorts

/** What gives a book in a page its vectors. `getKey` fetches the key where the page gave a function for it. */
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
