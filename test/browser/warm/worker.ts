// A worker that hosts one book after the other, for the contract alone: each over a port of its own, by an engine of its own.
// Invariant: it is used again only if the book before was closed to its end; otherwise its page ends it.
import type { ClosingEngine } from './closing-engine.ts'

// Loaded after the code that takes things away from this worker: see without-storage.ts.
const loading = import('./closing-engine.ts')
let engine: ClosingEngine | undefined

addEventListener('message', ({ data }: MessageEvent<MessagePort | 'end'>) => {
  void loading.then(({ ClosingEngine, expose }) => {
    if (data instanceof MessagePort) {
      engine = new ClosingEngine()
      expose(engine, data)
    } else postMessage(engine?.isClosed ? 'free' : 'used')
  })
})
