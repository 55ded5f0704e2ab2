// Embedders in Node: over HTTP, or a local model in a worker thread, because the model's native runtime
// blocks its thread.
import { type EmbedHost, embedderSource } from '../../../recall/embed/create-embedder.ts'
import { createEmbedFetch } from '../../../recall/embed/embed-fetch.ts'
import type { EmbedderOptions } from '../../../recall/embed/embedder-options.ts'
import { nodePorts } from '../port/node-ports.ts'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ModelResponse, ModelHost, ModelRequest } from '../../../recall/embed/model-message.ts'
import { nodeTableHost } from './table-file.ts'
import { makeOwnFolder, narrow } from '../port/private-file.ts'

const nodeModelHost: ModelHost = {
  startWorker(hear, ended) {
    const worker = new Worker(new URL('../model-worker.ts', import.meta.url), { name: 'daybook-model' })
    // Loading and pending requests keep the process alive; an idle model doesn't.
    /** Requests without an answer: `load`, and the numbers of the others. */
    const open = new Set<string | number>(['load'])
    const settle = (one: string | number) => {
      open.delete(one)
      if (open.size === 0) worker.unref()
    }
    /** True once the worker has ended or was terminated: then nothing is passed on. */
    let isOver = false
    const end = (why: string) => {
      if (isOver) return
      isOver = true
      ended(why)
    }
    worker.on('message', (answer: ModelResponse) => {
      if (answer.type === 'loaded' || answer.type === 'not-loaded') settle('load')
      else if (answer.type !== 'loading') settle(answer.number)
      if (!isOver) hear(answer)
    })
    worker.on('error', (error: Error) => end(`The worker of its model failed: ${error.name}.`))
    worker.on('exit', () => end('The worker of its model has ended.'))
    return Promise.resolve({
      post(request) {
        if (request.type === 'abort') settle(request.number)
        else if (request.type === 'embed') {
          open.add(request.number)
          worker.ref()
        }
        worker.postMessage(withCache(request))
      },
      end() {
        isOver = true
        void worker.terminate()
      },
    })
  },
}

export const nodeEmbedderHost: EmbedHost = {
  fetch: createEmbedFetch(globalThis),
  scheduler: nodePorts.scheduler,
  clock: nodePorts.clock,
  wasm: nodePorts.wasm,
  models: nodeModelHost,
  tables: nodeTableHost,
}

/** How to open the embedder of the options; undefined without options or for `none`. Throws `invalid-input`. */
export const nodeEmbedder = (options: EmbedderOptions | undefined) =>
  embedderSource(options, nodeEmbedderHost)

/**
 * Adds the cache folder to a `load` request; by default Transformers.js stores downloads in `node_modules`,
 * where the next install deletes them. Only the owner may use the default folder: a reader would see the used
 * models, and a writer could replace them.
 */
function withCache(request: ModelRequest): ModelRequest {
  if (request.type !== 'load') return request
  // `path`: a folder or URL with the files of models; default: the Hugging Face Hub.
  const { choice } = request
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const cache = choice.cache ?? join(base, 'daybook', 'models')
  const mayDownload = !choice.offline && (choice.path === undefined || /^https?:/i.test(choice.path))
  try {
    if (mayDownload) makeOwnFolder(cache)
    if (choice.cache === undefined) narrow(cache)
  } catch {
    // Without a cache folder the model is downloaded each time.
  }
  return { ...request, choice: { ...choice, cache } }
}
