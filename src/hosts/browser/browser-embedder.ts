// Embedders in a page, over fetch from the book's worker.
import { embedderSource } from '../../recall/embed/create-embedder.ts'
import { type EmbedCaller, fetchOf } from '../../recall/embed/embed-fetch.ts'
import type { EmbedderOptions } from '../../recall/embed/embedder-options.ts'
import { browserPorts } from './browser-ports.ts'

const host: EmbedCaller = { fetch: fetchOf(globalThis), scheduler: browserPorts.scheduler }

/** What gives a book in a page its vectors. `getKey` fetches the key where the page gave a function for it. */
export function browserEmbedder(options: EmbedderOptions | undefined, getKey?: () => Promise<string>) {
  const hasKey = options?.provider === 'http' || options?.provider === 'api'
  return embedderSource(hasKey && getKey ? { ...options, key: getKey } : options, host)
}
