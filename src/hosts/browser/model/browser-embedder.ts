// Creates the embedder of a book in its worker: over HTTP, by a table that the worker fetches, or a local model in
// another worker that the page starts.
import type { Embedder } from '../../../core/ports.ts'
import { type EmbedderSource, embedderSource } from '../../../recall/embed/create-embedder.ts'
import { createEmbedFetch } from '../../../recall/embed/embed-fetch.ts'
import type { EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { browserPorts } from '../port/browser-ports.ts'
import { localFetch } from '../port/local-network.ts'
import { loadPart } from '../../../core/load-part.ts'
import type { TableHost } from '../../../recall/embed/meaning/table-host.ts'
import type { FarPageEmbedder } from '../worker-message.ts'
import { proxy } from 'comlink'
import type { ModelResponse, ModelHost, ModelRequest } from '../../../recall/embed/model-message.ts'

const fetch = createEmbedFetch({ fetch: localFetch, AbortController })
const { scheduler, clock, wasm } = browserPorts

export interface BrowserEmbedderSource extends EmbedderSource {
  /** Loads the files of `meaning`, so that a page that loses its connection has them. Never rejects. */
  loadAhead(): Promise<void>
}

/**
 * Makes the embedder of a book; undefined without `options`. `getKey` fetches the key from the page; `page`
 * starts a local model.
 */
export function browserEmbedder(
  options: EmbedderOptions | undefined,
  { getKey, page }: { getKey?: (() => Promise<string>) | undefined; page?: FarPageEmbedder | undefined } = {},
): BrowserEmbedderSource | undefined {
  // Other embedders run in this browser and need no key.
  const hasKey = options?.provider === 'http' || options?.provider === 'api'
  const models = page && modelHostOf(page)
  const source = embedderSource(hasKey && getKey ? { ...options, key: getKey } : options, {
    fetch,
    scheduler,
    clock,
    wasm,
    models,
    // Only `meaning` of `daybook/meaning` knows the address of the table.
    tables: options && 'url' in options ? tables : undefined,
  })
  let opened: Embedder | undefined
  return (
    source && {
      ...source,
      open: (parts) => (opened = source.open(parts)),
      async loadAhead() {
        if (options?.provider !== 'meaning') return
        const { url = '' } = options
        await loadTables().then(
          ({ loadAhead }) => loadAhead(url, opened),
          () => undefined,
        )
      },
    }
  )
}

const missing = {
  message: 'The code that fetches the table could not be loaded.',
  details: { part: 'meaning' },
}
const loadTables = () => loadPart(() => import('./table-cache.ts'), missing, scheduler)
const tables: TableHost = {
  readTable: async (request) => (await loadTables()).readTable(request),
}

/**
 * Starts local models: the page starts the model's worker, and this worker gets a port to the model's worker.
 */
function modelHostOf(page: FarPageEmbedder): ModelHost {
  return {
    async startWorker(hear, ended) {
      let isOver = false
      const failed = (why: string) => {
        if (isOver) return
        isOver = true
        ended(why)
      }
      const line = await page.start(proxy(failed))
      line.onmessage = ({ data }: MessageEvent<ModelResponse>) => {
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
