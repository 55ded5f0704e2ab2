// A worker that hosts one book after the other, for the contract alone: each over a port of its own, by an engine of its own.
// Invariant: it is used again only if the book before was closed to its end; otherwise its page ends it.
import '../../../src/hosts/browser/storage/load-sqlite.ts'
import { expose } from 'comlink'
import { WorkerEngine } from '../../../src/hosts/browser/worker/worker-engine.ts'

class ClosingEngine extends WorkerEngine {
  isClosed = false

  override async close(isBack: boolean): Promise<void> {
    await super.close(isBack)
    this.isClosed = true
  }
}

let engine = new ClosingEngine()

addEventListener('message', ({ data }: MessageEvent<MessagePort | 'end'>) => {
  if (data instanceof MessagePort) {
    engine = new ClosingEngine()
    expose(engine, data)
  } else postMessage(engine.isClosed ? 'free' : 'used')
})
