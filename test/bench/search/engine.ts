// Daybook's engine, timed inside its worker: what of a question is not the way to the page and back.
import { wrap } from 'comlink'
import type { SearchPeer, TextIndex } from '../peer.ts'
import type { EngineWorker } from './engine.worker.ts'

function start() {
  const worker = new Worker(new URL('./engine.worker.ts', import.meta.url), { type: 'module' })
  const remote = wrap<EngineWorker>(worker)
  const index: TextIndex = {
    add: (texts) => remote.add(texts),
    settle: () => remote.settle(),
    searches: {
      recall: (questions) => remote.recall(questions),
      text: (questions) => remote.text(questions),
    },
    sizeBytes: () => remote.sizeBytes(),
    memoryBytes: () => remote.postingBytes(),
  }
  return { remote, index }
}

export const engine: SearchPeer = {
  name: 'Daybook, in its worker',
  mode: 'recall as it reaches the page; text is the ranking of all words by the postings in memory, as bare FTS5 ranks them',
  async open() {
    const { remote, index } = start()
    await remote.open()
    return index
  },
  async reopen(questions) {
    const { remote, index } = start()
    return { index, times: await remote.reopen(questions) }
  },
}
