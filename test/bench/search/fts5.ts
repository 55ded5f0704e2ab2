// Bare FTS5: the questions go to the worker together and are timed there, so the way to the page costs it nothing.
import { wrap } from 'comlink'
import type { SearchPeer } from '../peer.ts'
import type { Fts5Worker } from './fts5.worker.ts'

export const fts5: SearchPeer = {
  name: 'FTS5, bare',
  mode: 'sqlite-wasm on opfs-sahpool, timed inside its worker; porter, bm25, any word',
  async open() {
    const worker = new Worker(new URL('./fts5.worker.ts', import.meta.url), { type: 'module' })
    const remote = wrap<Fts5Worker>(worker)
    await remote.open()
    return {
      add: (texts) => remote.add(texts),
      searches: { search: (questions) => remote.search(questions) },
      sizeBytes: () => remote.sizeBytes(),
    }
  },
}
