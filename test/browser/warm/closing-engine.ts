// The engine of a warm worker: it says whether its book was closed to its end.
export { expose } from 'comlink'
import { WorkerEngine } from '../../../src/hosts/browser/worker/worker-engine.ts'

export class ClosingEngine extends WorkerEngine {
  isClosed = false

  override async close(isBack: boolean): Promise<void> {
    await super.close(isBack)
    this.isClosed = true
  }
}
