// Local models in Node, each in a worker thread: the native runtime computes in the thread that calls it, so in the
// engine's own it would hold up every call.
import { homedir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { ModelAnswer, ModelHost, ModelRequest } from '../../../recall/embed/model-message.ts'
import { makeOwnFolder, narrow } from '../port/private-file.ts'

export const nodeModelHost: ModelHost = {
  start(hear, ended) {
    const worker = new Worker(new URL('../model-worker.ts', import.meta.url), { name: 'daybook-model' })
    // Somebody may wait for what is loading or asked for; a model at rest keeps no process alive.
    const open = new Set<string | number>(['load'])
    const settle = (one: string | number) => {
      open.delete(one)
      if (open.size === 0) worker.unref()
    }
    let over = false
    const tell = (why: string) => {
      if (over) return
      over = true
      ended(why)
    }
    worker.on('message', (answer: ModelAnswer) => {
      if (answer.type === 'loaded' || answer.type === 'not-loaded') settle('load')
      else if (answer.type !== 'loading') settle(answer.number)
      if (!over) hear(answer)
    })
    worker.on('error', (error: Error) => tell(`The worker of its model failed: ${error.name}.`))
    worker.on('exit', () => tell('The worker of its model has ended.'))
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
        over = true
        void worker.terminate()
      },
    })
  },
}

/**
 * Transformers.js would keep its downloads inside `node_modules`, where the next install deletes them. The folder says which
 * models somebody uses, and whoever could write there would choose what is run: it is its owner's.
 */
function withCache(request: ModelRequest): ModelRequest {
  if (request.type !== 'load') return request
  const { choice } = request
  const base = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
  const cache = choice.cache ?? join(base, 'daybook', 'models')
  const mayDownload = !choice.offline && (choice.path === undefined || /^https?:/i.test(choice.path))
  try {
    if (mayDownload) makeOwnFolder(cache)
    if (choice.cache === undefined) narrow(cache)
  } catch {
    // Without a place for it a model is loaded anew each time.
  }
  return { ...request, choice: { ...choice, cache } }
}
